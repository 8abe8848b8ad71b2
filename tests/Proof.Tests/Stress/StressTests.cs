using System.Runtime.CompilerServices;

namespace Raceway.Proof.Tests.Stress;

/// <summary>Producers, stages and endings of every kind at full speed; every item is checked by every stage.</summary>
/// <remarks>
/// <para>An operation is one item handled and checked by one stage. The runs of the table end when they have their items, or
/// their time: that only cuts short what a machine is slow at. Those for volume are never cut short, and are 10⁸ operations
/// together.</para>
/// <para>In the long set (RACEWAY_LONG=1) items and times are twenty times as many, and the set is repeated with other
/// seeds (RACEWAY_SEED), also with DOTNET_gcServer=1 and with DOTNET_GCgen0size=0x40000 (a collection every 256 KiB),
/// which the runner sets.</para>
/// </remarks>
[Collection(OneAtATime.Name)]
public sealed class StressTests(ITestOutputHelper output)
{
    private const long MostItems = 20_000_000;
    private const long MostItemsOfOneCore = 200_000;
    private const long ItemsForVolume = 12_000_000;
    private static readonly TimeSpan s_most = TimeSpan.FromMilliseconds(400);
    // Each hand-over takes a turn of the scheduler: more time would bring little more.
    private static readonly TimeSpan s_mostOfSlow = TimeSpan.FromMilliseconds(200);

    public static TheoryData<string> Table => [.. StressTable.All.Select(run => run.Name)];

    public static TheoryData<string> Volume => [.. StressTable.Volume.Select(run => run.Name)];

    public static TheoryData<string> OneCore => [.. StressTable.OneCore.Select(run => run.Name)];

    [Theory]
    [MemberData(nameof(Table))]
    public Task Publish_EveryPairOfValues_ExactlyOnceInOrder(string name)
    {
        StressCase run = StressTable.All.Single(run => run.Name == name);
        return Run(run, MostItems, run.Capacity <= 4 || run.Wait == "busy-spin" ? s_mostOfSlow : s_most);
    }

    [LinuxTheory]
    [MemberData(nameof(OneCore))]
    public Task Publish_AllOnOneProcessor_ExactlyOnceInOrder(string name) =>
        Run(StressTable.OneCore.Single(run => run.Name == name), MostItemsOfOneCore, s_mostOfSlow);

    [Theory]
    [MemberData(nameof(Volume))]
    public Task Publish_Many_ExactlyOnceInOrder(string name) =>
        Run(StressTable.Volume.Single(run => run.Name == name), ItemsForVolume, TimeSpan.FromDays(1));

    [Fact]
    public void Table_EveryAllowedPair_Occurs()
    {
        Assert.Subset(
            StressTable.Rows.SelectMany(Pairs.Of).ToHashSet(),
            StressTable.Pairs.All().ToHashSet());
        Assert.True(StressTable.All.Count >= 60);
        Assert.Equal(StressTable.All.Count, StressTable.All.DistinctBy(run => run.Name).Count());
    }

    [Fact]
    public void Volume_AllOfIt_IsEnough() =>
        Assert.True(StressTable.Volume.Count * ItemsForVolume >= 100_000_000);

    private async Task Run(StressCase run, long items, TimeSpan atMost)
    {
        int factor = Tally.IsLong ? 5 : 1;
        // More stages take longer over an item.
        items = items * factor / run.Upstream.Length;
        atMost *= factor;
        long operations = run.Holds switch
        {
            Holds.Objects => await new StressRun<Node, Boxed>(
                run, static (options, _) => options with { CreateSlot = static () => new Node() }).Run(items, atMost),
            Holds.Letters => await new StressRun<Letter, Lettered>(
                run, static (options, pool) => options with
                {
                    Payload = static (ref Letter letter) => ref letter.Body,
                    PayloadOptions = new PayloadOptions
                    {
                        MaxLength = Bodies.MaxLength, KeepLength = Bodies.KeepLength, Pool = pool,
                    },
                }).Run(items, atMost),
            Holds.Strided => await OfItems(run, run.Capacity > 64 ? 128 : 512, StampLayout.Separate).Run(items, atMost),
            Holds.Padded => await OfItems(run, 0, StampLayout.Padded).Run(items, atMost),
            Holds.InSlot => await OfItems(run, 128, StampLayout.InSlot).Run(items, atMost),
            _ => await OfItems(run, 0, StampLayout.Separate).Run(items, atMost),
        };
        Tally.Add(Counted.Operations, operations);
        output.WriteLine($"{operations} operations, seed {Seed.Value}: {run.Name}");
    }

    private static StressRun<Item, Plain> OfItems(StressCase run, int stride, StampLayout stamps) =>
        new(run, (options, _) => options with { SlotStride = stride, Stamps = stamps });

    [Fact]
    public void Item_FitsStrides() => Assert.Equal(64, Unsafe.SizeOf<Item>());
}
