using System.Runtime.CompilerServices;
using Raceway.Interop.Logging.Writing;

namespace Raceway.Logging.Tests;

/// <summary>A slot keeps what entries of several types are made from, one at a time.</summary>
public sealed class EntryKeeperTests
{
    [Fact]
    public void Of_TypesInTurns_FindsEachAgain_TheOneInUseFirst()
    {
        EntryKeeper? first = null;
        EntryKeeper<int> number = EntryKeeper.Of<int>(ref first);
        EntryKeeper<string> text = EntryKeeper.Of<string>(ref first);
        EntryKeeper<Guid> id = EntryKeeper.Of<Guid>(ref first);
        Assert.Same(id, first);

        for (int i = 0; i < 3; i++)
        {
            Assert.Same(number, EntryKeeper.Of<int>(ref first));
            Assert.Same(number, first);
            Assert.Same(number, EntryKeeper.Of<int>(ref first));
            Assert.Same(text, EntryKeeper.Of<string>(ref first));
            Assert.Same(text, first);
            Assert.Same(id, EntryKeeper.Of<Guid>(ref first));
            Assert.Same(id, first);
        }
    }

    [Fact]
    public void Of_MoreTypesThanItKeeps_DropsTheOneNotUsedForLongest()
    {
        EntryKeeper? first = null;
        EntryKeeper<byte> oldest = EntryKeeper.Of<byte>(ref first);
        EntryKeeper<sbyte> second = EntryKeeper.Of<sbyte>(ref first);
        EntryKeeper[] others =
        [
            EntryKeeper.Of<short>(ref first), EntryKeeper.Of<ushort>(ref first), EntryKeeper.Of<int>(ref first),
            EntryKeeper.Of<uint>(ref first), EntryKeeper.Of<long>(ref first), EntryKeeper.Of<ulong>(ref first),
        ];
        Assert.Equal(EntryKeeper.Most, others.Length + 2);

        EntryKeeper<char> ninth = EntryKeeper.Of<char>(ref first);

        Assert.Same(ninth, first);
        Assert.Same(second, EntryKeeper.Of<sbyte>(ref first));
        Assert.NotSame(oldest, EntryKeeper.Of<byte>(ref first));
        Assert.Same(others[^1], EntryKeeper.Of<ulong>(ref first));
    }

    [Fact]
    public async Task Of_MoreTypesThanItKeeps_LetsGoOfTheOnesThatMadeRoom()
    {
        EntryKeeper? first = null;
        WeakReference[] kept = MakeNine(ref first);
        await Watchdog.UntilAsync(() =>
        {
            GC.Collect();
            return kept.Count(static keeper => keeper.IsAlive) == EntryKeeper.Most;
        });
        Assert.False(kept[0].IsAlive);
        GC.KeepAlive(first);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] MakeNine(ref EntryKeeper? first) =>
    [
        new(EntryKeeper.Of<byte>(ref first)), new(EntryKeeper.Of<sbyte>(ref first)), new(EntryKeeper.Of<short>(ref first)),
        new(EntryKeeper.Of<ushort>(ref first)), new(EntryKeeper.Of<int>(ref first)), new(EntryKeeper.Of<uint>(ref first)),
        new(EntryKeeper.Of<long>(ref first)), new(EntryKeeper.Of<ulong>(ref first)), new(EntryKeeper.Of<char>(ref first)),
    ];
}
