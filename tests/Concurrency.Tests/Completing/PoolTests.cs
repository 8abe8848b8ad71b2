namespace Raceway.Concurrency.Tests.Completion;

public sealed class PoolTests
{
    [Fact]
    public async Task Rent_OnOneThreadAndReturnOnAnother_UsesTheSameOnesAgain()
    {
        const int Count = 1_000;
        HashSet<Thing> made = [];
        var batch = new Thing[Count];
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < Count; i++) made.Add(batch[i] = Pool<Thing>.Rent());
            Assert.Equal(Count, batch.Distinct().Count());
            await Task.Factory.StartNew(
                () => Array.ForEach(batch, Pool<Thing>.Return), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default).OrHang();
        }

        // A thread that ends keeps up to two magazines of 64; without any use again it would be 20,000.
        Assert.InRange(made.Count, Count, Count + 20 * 128);
    }

    [Fact]
    public void Return_OfMoreThanIsKept_LeavesTheRestToTheCollector()
    {
        const int Many = Magazines.MaxIdle + 1_000;
        for (int i = 0; i < Many; i++) Pool<Excess>.Return(new Excess());
        int before = Excess.Made;

        for (int i = 0; i < Many; i++) Pool<Excess>.Rent();

        Assert.InRange(Excess.Made - before, Many - Magazines.MaxIdle - 128, Many - Magazines.MaxIdle);
    }

    [Fact]
    public async Task Rent_ByManyThreads_NeverGivesOneToTwo()
    {
        bool[] shared = new bool[4];
        await Task.WhenAll(Enumerable.Range(0, 4).Select(index => Task.Run(() =>
        {
            var mine = new Owned[200];
            for (int round = 0; round < 500; round++)
            {
                for (int i = 0; i < mine.Length; i++)
                {
                    mine[i] = Pool<Owned>.Rent();
                    if (Interlocked.Exchange(ref mine[i].Owners, 1) != 0) shared[index] = true;
                }

                foreach (Owned one in mine)
                {
                    Volatile.Write(ref one.Owners, 0);
                    Pool<Owned>.Return(one);
                }
            }
        }))).OrHang();

        Assert.DoesNotContain(true, shared);
    }

    private sealed class Thing : Pooled;

    private sealed class Owned : Pooled
    {
        public int Owners;
    }

    private sealed class Excess : Pooled
    {
        public static int Made;

        public Excess() => Made++;
    }
}
