using System.Reflection;

namespace Raceway.Rings.Tests;

/// <summary>A thread of the pool notes how much of its time the stage works that it steps, for the thread that it may share a processor with.</summary>
public sealed class LingeringNoteTests
{
    private static readonly FieldInfo s_lingering = typeof(PoolDriver).GetField("_lingering", BindingFlags.NonPublic | BindingFlags.Instance)!;
    private static readonly long s_hour = Clock.Ticks(TimeSpan.FromHours(1));
    private static readonly long s_second = Clock.Ticks(TimeSpan.FromSeconds(1));

    // One item at a time: in between the stage waits. The thread notes that as it begins. The slice is so long that it is not
    // over: else other work of the pool might take the thread.
    [Fact]
    public async Task Execute_StageWaitsMostOfItsTime_ItsThreadIsKnownToWait()
    {
        ReadyQueue ready = Ready();
        (PoolDriver second, RingBuffer<long> ring) = LingeringTests.SecondOfTwo(inGroup: true, ready, slice: s_hour);
        Producer<long> producer = Make.Producer(ring);
        Peek.SetAsked(ready, true);
        ready.Add(second);

        bool waits = await Watchdog.Await(
            Watchdog.Run(() => Enumerable.Range(0, 500).Any(item =>
            {
                Execute(ready);
                producer.Publish(item);
                Make.StepAll(ring.Stages[0]);
                return WaitsOnThisThread();
            })),
            ring);

        Assert.True(waits);
    }

    // As the thread begins, the stage is known to have waited for two fifths of its time. At the end of the slice, for more than half. Where
    // other work of the pool takes the thread there, it notes nothing: then it is tried again with another stage.
    [Fact]
    public async Task Execute_StageHasWaitedMore_ItsThreadIsKnownToWaitAtTheEndOfTheSlice()
    {
        bool waits = await Watchdog.Await(Watchdog.Run(() => Enumerable.Range(0, 5_000).Any(static _ => WaitsAfterSlice())));

        Assert.True(waits);
    }

    private static bool WaitsAfterSlice()
    {
        ReadyQueue ready = Ready();
        (PoolDriver second, RingBuffer<long> ring) = LingeringTests.SecondOfTwo(inGroup: true, ready);
        Lingering lingering = HasWaited(ring);
        Assert.InRange(lingering.Work, Lingering.All / 2, 600);
        s_lingering.SetValue(second, lingering);
        Peek.SetAsked(ready, true);
        ready.Add(second);
        Execute(ready);
        return WaitsOnThisThread();
    }

    // For 1.6 of the two seconds that were counted as one half of what is known, and for all of the second since then.
    private static Lingering HasWaited(RingBuffer<long> ring)
    {
        long now = MachineClock.Now;
        var lingering = default(Lingering);
        lingering.Count(now - (3 * s_second));
        Wait(ref lingering, ring, TimeSpan.FromSeconds(1.6));
        lingering.Count(now - s_second);
        Wait(ref lingering, ring, TimeSpan.FromSeconds(1));
        return lingering;
    }

    // For something that is there: it looks once.
    private static void Wait(ref Lingering lingering, RingBuffer<long> ring, TimeSpan ago)
    {
        Progress cell = ring.Sequencer.NewProgress(0);
        cell.Advance(1);
        var target = new WaitTarget(cell, 1, Clock.Never, ring.Control, ring.Control.Word);
        var waiting = new AdaptiveWaiting(new WaitContext(LeadsChain: false, ring.Capacity, HasStamps: false, IsProducer: false));
        Assert.True(lingering.Finds(target, Ready(), new PoolThread(), waiting, MachineClock.Now - Clock.Ticks(ago)));
    }

    private static ReadyQueue Ready() => new(Clock.Of(new WatchedTime()), spread: new PoolSpread(static () => 3, static _ => { }));

    // As if the pool had a thread on its way all the time: this one alone steps what is ready.
    private static void Execute(ReadyQueue ready)
    {
        ((IThreadPoolWorkItem)ready).Execute();
        Peek.SetAsked(ready, true);
    }

    private static bool WaitsOnThisThread()
    {
        PoolThread thread = PoolThread.Begin();
        thread.End();
        return thread.Place.WorksLessThan(new PoolSpread.Place());
    }
}
