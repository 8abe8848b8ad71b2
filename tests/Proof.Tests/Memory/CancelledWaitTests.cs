
namespace Raceway.Proof.Tests.Memory;

/// <summary>Waits that are given up leave nothing behind: a million of them, and the live bytes stay flat.</summary>
[Collection(OneAtATime.Name)]
public sealed class CancelledWaitTests(ITestOutputHelper output)
{
    // A few objects more or less are the test host's. What every wait left behind would be ten times as much.
    private const long MostGrowth = 200_000;
    private const int LeastLeftBehind = 24;

    private static readonly TimeSpan s_atOnce = TimeSpan.FromTicks(1);

    // A million together. Those that throw, or put a thread to sleep for a millisecond, are dear.
    public static TheoryData<string, string, int> Waits => new()
    {
        { "timed claim", "busy-spin", 400_000 }, { "timed claim", "yield", 300_000 }, { "timed claim", "adaptive", 20_000 },
        { "timed claim", "park", 20_000 }, { "timed claim", "async", 20_000 },
        { "cancelled claim", "park", 10_000 }, { "cancelled claim", "yield", 10_000 },
        { "room async", "park", 30_000 }, { "stage asleep", "park", 230_000 },
    };

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task GivenUp_ManyTimes_LeavesNothing(string kind, string wait, int times)
    {
        if (Tally.IsLong) times *= 4;
        Wait waits = Wait.All.Single(each => each.Name == wait);
        var ring = new RingBuffer<long>(4, new RingOptions<long>
        {
            Producers = ProducerKind.Multi, MaxProducers = 2, Wait = waits, ProducerWait = waits, DrainTimeout = TimeSpan.Zero,
        });
        int handled = 0;
        Stage stage = ring.Subscribe((ref long _) => handled++, new StageOptions { Drive = Drive.Caller });
        MultiProducer<long> producer = ring.CreateMultiProducer();
        for (int i = 0; i < 4; i++) Assert.Equal(ClaimStatus.Done, producer.TryPublish(i));

        long given = 0;
        Task Give(int count) => Watchdog.Run(async () =>
        {
            for (int i = 0; i < count; i++)
            {
                await GiveUp(kind, ring, stage, producer);
                Volatile.Write(ref given, given + 1);
            }
        }).Unwrap();

        // What is made once is made now.
        await Watchdog.Await(Give(times / 10), progress: () => Volatile.Read(ref given));
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await Watchdog.Await(Give(times), progress: () => Volatile.Read(ref given));
        long growth = GC.GetTotalMemory(forceFullCollection: true) - before;
        output.WriteLine($"{kind}, {wait}: {given} given up, {growth} bytes more are live");
        Assert.True(growth < Math.Max(MostGrowth, (long)times * LeastLeftBehind / 10), $"{growth} bytes after {times}");

        // Nobody is left in a list, nothing was claimed, and the ring works.
        Assert.False(Peek.IsArmed(stage.Done) || Peek.IsArmed(ring.Sequencer.Cursor), Watchdog.Dump(ring));
        Assert.Equal(3, ring.Claims.ClaimedThrough);
        stage.Step();
        Assert.Equal(ClaimStatus.Done, producer.TryPublish(4));
        stage.Step();
        Assert.Equal(5, handled);
    }

    private static async ValueTask GiveUp(string kind, RingBuffer<long> ring, Stage stage, MultiProducer<long> producer)
    {
        switch (kind)
        {
            case "timed claim":
                Assert.Equal(ClaimStatus.TimedOut, producer.TryClaim(1, s_atOnce, out _));
                break;
            case "cancelled claim":
                Cancelled(producer);
                break;
            case "room async":
                using (var cancel = new CancellationTokenSource())
                {
                    Task<bool> waiting = producer.WaitForRoomAsync(1, cancel.Token).AsTask();
                    await cancel.CancelAsync();
                    await waiting.ContinueWith(static _ => { }, TaskScheduler.Default);
                    Assert.True(waiting.IsCanceled);
                }

                break;
            default:
                // As a driver does it, which is woken by a change of the ring instead of an item.
                var waiter = new ParkWaiter();
                ring.Sequencer.Cursor.Arm(waiter, stage.Position + 10);
                Assert.False(waiter.Park(0, interruptible: false));
                Assert.True(ring.Sequencer.Cursor.Disarm(waiter));
                break;
        }
    }

    private static void Cancelled(MultiProducer<long> producer)
    {
        using var cancel = new CancellationTokenSource();
        // It is cancelled while the wait begins, sleeps, or has registered: at another moment each time.
        Task cancelling = Task.Run(cancel.Cancel);
        try
        {
            producer.Claim(1, cancel.Token).Abort();
            Assert.Fail("There is no room.");
        }
        catch (OperationCanceledException)
        {
            cancelling.GetAwaiter().GetResult();
        }
    }
}
