using Raceway.Interop.Logging.Writing;

namespace Raceway.Logging.Tests;

/// <summary>What entries are made from is kept in objects that are used again.</summary>
public sealed class EntryKeeperTests
{
    [Fact]
    public void Take_WhatWasReturned_IsUsedAgain_AndNothingTwice()
    {
        var pool = new KeeperPool<int>();
        EntryKeeper<int>[] first = [pool.Take(), pool.Take(), pool.Take()];
        Assert.Equal(3, first.Distinct().Count());

        foreach (EntryKeeper<int> keeper in first[..2]) keeper.Return();
        EntryKeeper<int>[] second = [pool.Take(), pool.Take(), pool.Take()];

        Assert.Equal(3, second.Distinct().Count());
        Assert.Equal(2, second.Intersect(first[..2]).Count());
        Assert.DoesNotContain(first[2], second);
    }

    /// <summary>One takes while another returns: none is taken twice, and none is lost.</summary>
    [Fact]
    public async Task Take_WhileAnotherReturns_GivesEachToOneAtATime()
    {
        const int Count = 200_000, Most = 64;
        var pool = new KeeperPool<int>();
        var under = System.Threading.Channels.Channel.CreateBounded<EntryKeeper<int>>(
            new System.Threading.Channels.BoundedChannelOptions(Most) { SingleReader = true, SingleWriter = true });
        HashSet<EntryKeeper<int>> all = [];
        Task taking = Watchdog.Run(() =>
        {
            for (int i = 0; i < Count; i++)
            {
                EntryKeeper<int> keeper = pool.Take();
                Assert.Null(keeper.Next);
                all.Add(keeper);
                keeper.Keep(in i, static (_, _) => { });
                while (!under.Writer.TryWrite(keeper)) Thread.Yield();
            }

            under.Writer.Complete();
        });
        await foreach (EntryKeeper<int> keeper in under.Reader.ReadAllAsync()) keeper.Return();
        await taking.OrHang();

        // As many as there were at once: those in between, one with each thread.
        Assert.InRange(all.Count, 1, Most + 2);
    }

    [Fact]
    public void Of_MoreTypesThanItHasPoolsFor_IsNull_AndEachTypeHasOne()
    {
        var pools = new KeeperPools();
        object?[] made =
        [
            pools.Of<byte>(), pools.Of<sbyte>(), pools.Of<short>(), pools.Of<ushort>(),
            pools.Of<int>(), pools.Of<uint>(), pools.Of<long>(), pools.Of<ulong>(),
        ];
        Assert.Equal(KeeperPools.Most, made.Length);
        Assert.DoesNotContain(null, made);

        Assert.Null(pools.Of<char>());
        Assert.Same(made[0], pools.Of<byte>());
        Assert.Same(made[^1], pools.Of<ulong>());
    }
}
