using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>
/// A link between processes, with whatever may go wrong going wrong at every step: nothing confirmed is lost, each key's items
/// stay in order, what comes twice is known, memory stays within its bounds. Every run is decided by its seed.
/// </summary>
public sealed class SweepTests(ITestOutputHelper output)
{
    private static readonly WorldOptions s_plain = new();
    private static readonly WorldOptions s_positions = new(Positions: true);
    private static readonly WorldOptions s_fencing = new(Fencing: true);
    private static readonly WorldOptions s_reordering = new(Positions: true, Reorders: true);

    [Fact]
    public void Run_SameSeed_IsTheSameRun()
    {
        using var first = new World(7, s_plain);
        using var second = new World(7, s_plain);
        first.Run(200, 0.2);
        second.Run(200, 0.2);
        Assert.Equal((first.Steps, first.Faults, first.Trace), (second.Steps, second.Faults, second.Trace));
    }

    [Fact]
    public void Link_AnyFaultAtEveryStep_LosesNothingAndKeepsOrder()
    {
        int faults = 0;
        foreach (FaultKind kind in Enum.GetValues<FaultKind>())
        {
            WorldOptions options = kind == FaultKind.Reorder ? s_reordering : s_plain;
            for (int at = 0; ; at++)
            {
                using var world = new World(3, options with { Items = 30 });
                if (!world.RunWith(kind, at)) break;
                faults += world.Faults;
                Check(world, 30, $"{kind} at {at}");
            }
        }

        output.WriteLine($"{faults:N0} faults, one a run");
        Assert.True(faults > 1000, $"{faults}");
    }

    [Fact]
    public void Link_ManyFaults_LosesNothingAndKeepsOrder() => Sweep(s_plain, runs: 55);

    [Fact]
    public void Link_ManyFaultsAndPositionsKept_WritesEveryItemOnceAnEpoch()
    {
        Sweep(s_positions, runs: 55);
        // The sender never dies, so there is one epoch: every item exactly once.
        for (int seed = 0; seed < 10; seed++)
        {
            using var world = new World(seed, s_positions);
            for (int at = 0; at < 40; at++)
                if (!world.RunWith((FaultKind)(seed % 2 == 0 ? FaultKind.CrashWorker : FaultKind.DisconnectWorker), world.Steps + 10)) break;
            Check(world, s_positions.Items, $"seed {seed}");
            Assert.Equal(0, world.Sink.Repeated());
        }
    }

    [Fact]
    public void Link_FramesOvertakeEachOther_LosesNothingAndKeepsOrder() => Sweep(s_reordering, runs: 200);

    [Fact]
    public void Link_SenderGoesOnBesideItsSuccessor_IsFencedAndLosesNothing()
    {
        int fenced = 0;
        for (int seed = 0; seed < 20; seed++)
        {
            using var world = new World(seed, s_plain);
            world.RunWithMany(FaultKind.SucceedSending, every: 60);
            Check(world, s_plain.Items, $"seed {seed}");
            fenced += world.Fenced;
        }

        Assert.True(fenced > 40, $"{fenced} senders fenced");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Link_WorkersGoOnAfterTheirSuccessors_SinkWithTermsRefusesThemAndNothingIsLost(bool positions)
    {
        WorldOptions options = s_fencing with { Positions = positions };
        int stale = Sweep(options, runs: 55);
        // A worker that has lost its partitions goes on with what it has, until it is told.
        for (int seed = 0; seed < 40; seed++)
        {
            using var world = new World(seed, options);
            world.RunWithMany(FaultKind.DisconnectWorker, every: 40);
            Check(world, options.Items, $"seed {seed}");
            stale += world.Sink.Stale;
        }

        output.WriteLine($"{stale} writes came too late");
        Assert.True(stale > 10, $"{stale} writes came too late");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Link_ConnectionsLostAgainAndAgain_ParksNothing(bool fencing)
    {
        WorldOptions options = fencing ? s_fencing : s_plain;
        int faults = 0;
        for (int seed = 0; seed < 40; seed++)
        {
            // A frame that one worker alone had ended with would be parked.
            using var world = new World(seed, options with { DeliveryLimit = 1, Crashes = false });
            world.Run(300, 0.1 + (0.1 * (seed % 5)));
            faults += world.Faults;
            Check(world, options.Items, $"seed {seed}");
        }

        output.WriteLine($"{faults:N0} faults");
        Assert.True(faults >= 9000, $"{faults} faults");
    }

    [Theory]
    [InlineData(1, 1, 2)]
    [InlineData(2, 2, 3)]
    [InlineData(5, 3, 6)]
    public void Link_FrameThatEndsItsWorkers_IsParkedAloneAndToldOf(int limit, int least, int most)
    {
        for (int seed = 0; seed < 40; seed++)
        {
            WorldOptions options = s_plain with { DeliveryLimit = limit, Crashes = false, Poison = 77 };
            using var world = new World(seed, options);
            world.Run(100, 0.05 * (seed % 4));
            Assert.NotEmpty(world.Parked);
            HashSet<Keyed> held = [];
            foreach (byte[] parked in world.Parked)
            {
                // A frame that came twice is parked twice; none that is honest is.
                List<Keyed> items = ItemsOf(parked, out FrameHeader header);
                Assert.Contains(Keyed.At(77, options.Keys), items);
                held.UnionWith(items);
                Assert.Contains(
                    world.Events,
                    one => one.Kind == LinkEventKind.Parked && one.Detail.Contains(
                        $"partition {header.Partition}, items {header.First} to {header.Last} of producer", StringComparison.Ordinal));
            }

            Assert.Subset(held, world.Sink.Missing(options.Items).ToHashSet());
            // At least half of the limit, and at most one more than it, for each frame that is parked.
            Assert.InRange(world.Ended, least, most * world.Parked.Count);
        }
    }

    private static List<Keyed> ItemsOf(byte[] frame, out FrameHeader header)
    {
        Assert.Equal(FrameError.None, FrameHeader.Open(frame, 1024, out header));
        List<Keyed> items = [];
        for (int i = 0, at = FrameHeader.Size; i < header.Count; i++)
            items.Add(MemoryMarshal.Read<Keyed>(FrameItems.Next(frame, header.ItemLength, ref at)));
        return items;
    }

    private int Sweep(WorldOptions options, int runs)
    {
        int stale = 0;
        int faults = 0;
        for (int seed = 0; seed < runs; seed++)
        {
            using var world = new World(seed, options);
            world.Run(300, 0.05 + (0.05 * (seed % 5)));
            faults += world.Faults;
            stale += world.Sink.Stale;
            Check(world, options.Items, $"seed {seed}");
        }

        output.WriteLine($"{faults:N0} faults in {runs} runs, {stale} stale writes");
        Assert.True(faults >= 9000, $"{faults} faults");
        return stale;
    }

    private static void Check(World world, int items, string run)
    {
        Assert.True(world.Sink.Problem(items) is null, $"{run}: {world.Sink.Problem(items)}");
        Assert.Empty(world.Parked);
        // Never more than the limits allow: a queue and one frame; what is prefetched; two frames a partition.
        Assert.InRange(world.MostBytes, 1, 900 + 1024);
        Assert.InRange(world.MostPending, 0, 2 * 3 * World.Partitions);
        Assert.InRange(world.MostBuffered, 0, World.Partitions * 2 * 1024);
    }
}
