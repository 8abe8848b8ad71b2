using System.Collections;

namespace Raceway.Concurrency.Tests.Tasks;

/// <summary>What a for-each does with the sequence it is given.</summary>
public sealed class SequenceTests
{
    [Fact]
    public async Task Sequence_Throws_EndsItAndIsDisposedOfOnce()
    {
        var source = new Faulty();
        await Assert.ThrowsAsync<InvalidDataException>(
            () => BoundedParallel.ForEachAsync((IEnumerable<int>)source, 3, Yield).OrHang());
        Assert.Equal(1, source.Asked);
        Assert.Equal(1, source.Disposed);
    }

    [Fact]
    public async Task Sequence_DisposeThrows_IsThrown()
    {
        var source = new Faulty { Items = 2, DisposeThrows = true };
        var thrown = await Assert.ThrowsAsync<InvalidDataException>(
            () => BoundedParallel.ForEachAsync((IEnumerable<int>)source, 3, Yield).OrHang());
        Assert.Equal("dispose", thrown.Message);
    }

    [Fact]
    public async Task AsyncSequence_Throws_EndsItAndIsDisposedOfOnce()
    {
        int disposed = 0;
        await Assert.ThrowsAsync<InvalidDataException>(
            () => BoundedParallel.ForEachAsync(Source(), 3, Yield).OrHang());
        Assert.Equal(1, disposed);

        async IAsyncEnumerable<int> Source()
        {
            try
            {
                yield return 1;
                await Task.Yield();
                throw new InvalidDataException("next");
            }
            finally
            {
                disposed++;
            }
        }
    }

    [Fact]
    public async Task AsyncSequence_IsNeverAskedByTwoAtOnce()
    {
        int inside = 0, wrong = 0, sum = 0;
        await BoundedParallel.ForEachAsync(Source(), 8, async (item, _) =>
        {
            if (item % 2 == 0) await Task.Yield();
            Interlocked.Add(ref sum, item);
        }).OrHang();
        Assert.Equal(0, wrong);
        Assert.Equal(5000 * 4999 / 2, sum);

        async IAsyncEnumerable<int> Source()
        {
            for (int i = 0; i < 5000; i++)
            {
                if (Interlocked.Increment(ref inside) != 1) Interlocked.Increment(ref wrong);
                if (i % 3 == 0) await Task.Yield();
                Interlocked.Decrement(ref inside);
                yield return i;
            }
        }
    }

    [Fact]
    public async Task AsyncSequence_FailureWhileTheSourceWaits_CancelsTheSource()
    {
        var thrown = await Assert.ThrowsAsync<InvalidDataException>(() => BoundedParallel.ForEachAsync(Source(), 2, async (_, _) =>
            {
                await Task.Yield();
                throw new InvalidDataException("body");
            }).OrHang());
        Assert.Equal("body", thrown.Message);
        Assert.Empty(SuppressedFailures.Of(thrown));

        static async IAsyncEnumerable<int> Source(
            [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken token = default)
        {
            yield return 1;
            await ForEachTests.UntilCancelled(token);
            token.ThrowIfCancellationRequested();
        }
    }

    private static async ValueTask Yield(int item, CancellationToken cancellation) => await Task.Yield();

    private sealed class Faulty : IEnumerable<int>, IEnumerator<int>
    {
        public int Items { get; init; }

        public bool DisposeThrows { get; init; }

        public int Asked { get; private set; }

        public int Disposed { get; private set; }

        public int Current => Asked;

        object IEnumerator.Current => Current;

        public IEnumerator<int> GetEnumerator() => this;

        IEnumerator IEnumerable.GetEnumerator() => this;

        public bool MoveNext()
        {
            Asked++;
            if (Items == 0) throw new InvalidDataException("next");
            return Asked <= Items;
        }

        public void Reset() => throw new NotSupportedException();

        public void Dispose()
        {
            Disposed++;
            if (DisposeThrows) throw new InvalidDataException("dispose");
        }
    }
}
