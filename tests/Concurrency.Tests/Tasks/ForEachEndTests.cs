namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>How a for-each over a sequence ends where the source is slow, or fails between two items.</summary>
public sealed class ForEachEndTests
{
    [Fact]
    public async Task ForEachAsync_CurrentThrowsAfterAWait_HandlesNoItemTwice()
    {
        List<int> seen = [];
        await Assert.ThrowsAsync<InvalidDataException>(() => BoundedParallel.ForEachAsync(new FailingItem(), 1, (item, _) =>
        {
            seen.Add(item);
            return default;
        }).OrHang());

        Assert.Equal([1], seen);
    }

    // The source has an item only when the run has stopped: no body may begin with it.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ForEachAsync_StopsWhileASourceIsAsked_BeginsNoFurtherBody(bool isAsync)
    {
        using var asked = new ManualResetEventSlim();
        using var stopped = new ManualResetEventSlim();
        int begun = 0;
        ValueTask Body(int item, CancellationToken token)
        {
            Interlocked.Increment(ref begun);
            Assert.True(asked.Wait(TimeSpan.FromMinutes(1), CancellationToken.None));
            token.Register(stopped.Set);
            throw new InvalidDataException();
        }

        IEnumerable<int> Items()
        {
            yield return 1;
            asked.Set();
            Assert.True(stopped.Wait(TimeSpan.FromMinutes(1)));
            yield return 2;
        }

        async IAsyncEnumerable<int> ItemsLater()
        {
            foreach (int item in Items())
            {
                await Task.Yield();
                yield return item;
            }
        }

        await Assert.ThrowsAsync<InvalidDataException>(() =>
            (isAsync ? BoundedParallel.ForEachAsync(ItemsLater(), 2, Body) : BoundedParallel.ForEachAsync(Items(), 2, Body)).OrHang());

        Assert.Equal(1, begun);
    }

    private sealed class FailingItem : IAsyncEnumerable<int>, IAsyncEnumerator<int>
    {
        private int _moves;

        public int Current => _moves == 1 ? 1 : throw new InvalidDataException();

        public IAsyncEnumerator<int> GetAsyncEnumerator(CancellationToken cancellationToken = default) => this;

        public async ValueTask<bool> MoveNextAsync()
        {
            await Task.Yield();
            return ++_moves <= 2;
        }

        public ValueTask DisposeAsync() => default;
    }
}
