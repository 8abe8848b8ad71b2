using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <content>What meets a stage that leaves by its policy.</content>
public sealed partial class DetachTests
{
    // The policy is on its way to the gate, and the call there before it.
    [Fact]
    public async Task PolicyDetach_MeetsACall_TheRingGoesOn()
    {
        RingBuffer<long> ring = Make.Ring();
        object gate = new();
        var roster = new StageRoster(ring, gate);
        StageOptions options = Make.Stepped();
        Stage[] stages = [.. Enumerable.Range(0, 2).Select(_ => roster.Attach(
            name => new DelegateStage<long>(ring, ring.Slots, static (ref long _) => { }, options, name), options))];
        var cause = new FormatException();

        Gate.Enter(gate);
        (Thread policy, Task<Exception?> ended) = Watchdog.RunThread(() => roster.DetachFaulted(stages[1], cause));
        Watchdog.Until(() => (policy.ThreadState & ThreadState.WaitSleepJoin) != 0, "the policy at the gate");
        Task left = roster.DetachAsync(stages[1]);
        Gate.Exit(gate);

        Assert.Null(await ended.OrHang());
        await left.OrHang();
        Assert.Equal(RingState.Created, ring.State);
        Assert.Same(cause, stages[1].Fault);
        Assert.Equal([stages[0]], roster.All);
    }

    [Fact]
    public async Task PolicyDetach_StopHookRuns_TheDrainWaitsForIt()
    {
        var ring = Make.Ring();
        Stage main = ring.Subscribe(new Recorder(), Make.Stepped());
        using var handler = new FailsAndStops();
        Stage side = ring.Subscribe(handler, Make.Stepped(onFault: FaultPolicy.Detach));
        ring.CreateProducer().Publish(0);
        Task<DrainResult> drain = ring.DrainAsync(Timeout.InfiniteTimeSpan);
        Make.StepAll(main);
        Task step = Watchdog.Run(() => { side.Step(); });
        await handler.Stops.OrHang();
        // Long enough for a drain that does not wait; one that does is not late by it.
        for (int looks = 0; looks < 100 && !drain.IsCompleted; looks++) await Task.Delay(1);
        Assert.False(drain.IsCompleted);
        await Watchdog.UntilAsync(() => main.Ended.IsCompleted, "the stage has ended");
        // A drain that is out of time names what it waits for.
        Assert.Equal([side.Name], (await Watchdog.Await(ring.DrainAsync(TimeSpan.FromMilliseconds(1)), ring)).NotEnded);
        handler.Release();
        await step.OrHang();
        Assert.True((await Watchdog.Await(drain, ring)).IsDrained);
    }

    [Fact]
    public async Task PolicyDetach_HasEnded_NothingKeepsItsHandler()
    {
        var ring = Make.Ring();
        var main = new Summer();
        ring.Subscribe(main);
        WeakReference handler = AttachFailing();
        ring.Start();
        ring.CreateProducer().Publish(0);
        await Watchdog.UntilAsync(
            () =>
            {
                GC.Collect();
                return !handler.IsAlive;
            },
            ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(1, main.Count);

        [MethodImpl(MethodImplOptions.NoInlining)]
        WeakReference AttachFailing()
        {
            var failing = new EventLambda<long>(static (ref long _, long _, bool _) => throw new FormatException());
            ring.Subscribe(failing, new StageOptions { OnFault = FaultPolicy.Detach });
            return new WeakReference(failing);
        }
    }

    private sealed class FailsAndStops : IBatchHandler<long>, IStageLifetime, IDisposable
    {
        private readonly ManualResetEventSlim _go = new();
        private readonly TaskCompletionSource _stops = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Stops => _stops.Task;

        public void Release() => _go.Set();

        public void Dispose() => _go.Dispose();

        public void OnBatch(Batch<long> batch) => throw new FormatException();

        public void OnStart()
        {
        }

        public void OnStop()
        {
            _stops.SetResult();
            _go.Wait();
        }
    }
}
