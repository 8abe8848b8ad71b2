using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Tuning;

/// <summary>A controller at its stage: when it looks, what it writes down, what it refuses, and that it moves the right way.</summary>
public sealed class BatchControllerTests
{
    private static readonly BatchGoal s_goal = BatchGoal.Latency(TimeSpan.FromMilliseconds(1));

    [Fact]
    public void Look_EachPeriod_SetsTheLimitAndSaysWhy()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 1024 };
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions { Max = 2048 });
        Assert.Empty(controller.Decisions);
        stage.Did(batches: 10, full: 10, items: 10_240, TimeSpan.FromMilliseconds(20));
        time.Advance(TimeSpan.FromMilliseconds(99));
        Assert.Equal(1024, stage.Limit);
        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(512, stage.Limit);
        // The next look sees what came since the last.
        stage.Did(batches: 10, full: 10, items: 5_120, TimeSpan.FromMilliseconds(5));
        time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(512 + 63, stage.Limit);
        for (int i = 0; i < 3; i++) time.Advance(TimeSpan.FromMilliseconds(100));

        Assert.Equal(
            """
            stage fed: limit 575, for batches of 1 ms
              00:00:00.100  1024 -> 512  2 ms a batch of 1024, 512000 items/s of work: batches take longer than the target: halved
              00:00:00.200  512 -> 575  500 µs a batch of 512, 1024000 items/s of work: batches are full and take less than the target: raised
              00:00:00.500  575 -> 575  0 µs a batch of 0, 0 items/s of work: nothing was handled (×3)

            """,
            controller.Dump());
    }

    // As on the thread pool, where the end of a step cuts batches: a higher limit would change nothing.
    [Fact]
    public void Look_BatchesAreCutBelowTheLimit_LeavesItAlone()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 1024 };
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions { Max = 2048 });
        stage.Did(batches: 10, full: 0, items: 640, TimeSpan.FromMicroseconds(100), cut: 10);
        time.Advance(TimeSpan.FromMilliseconds(100));

        Assert.Equal(1024, stage.Limit);
        Assert.Contains("the limit closes few batches", controller.Dump(), StringComparison.Ordinal);
    }

    [Fact]
    public void Decisions_ManyOfThem_KeepTheLast()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 1 };
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions { LogLength = 3 });
        for (int i = 0; i < 10; i++)
        {
            stage.Did(batches: 1, full: 1, items: stage.Limit, TimeSpan.FromMicroseconds(1));
            time.Advance(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal(3, controller.Decisions.Count);
        Assert.Equal(stage.Limit, controller.Decisions[^1].To);
        Assert.Equal(controller.Decisions[0].To, controller.Decisions[1].From);
    }

    [Fact]
    public void StageEnds_ControllerEndsWithIt()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 64 };
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions());
        stage.HasEnded = true;
        time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.True(controller.HasEnded);
        Assert.Equal("the stage has ended", controller.Decisions[^1].Reason);
        Assert.Equal(0, time.SetTimers);
        Assert.Throws<InvalidOperationException>(() => new BatchController(stage, s_goal, new BatchControllerOptions()));
    }

    [Fact]
    public void Dispose_NothingIsChangedAnyMore()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 64 };
        var controller = new BatchController(stage, s_goal, new BatchControllerOptions());
        controller.Dispose();
        controller.Dispose();
        stage.Did(batches: 1, full: 1, items: 64, TimeSpan.FromSeconds(1));
        controller.Look();
        Assert.Equal((64, true, 0), (stage.Limit, controller.HasEnded, time.SetTimers));
    }

    [Fact]
    public void Limit_MinimumOfABatch_IsKept()
    {
        var time = new VirtualTime();
        var stage = new FedStage { Time = time, Limit = 64, LeastLimit = 50 };
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions());
        stage.Did(batches: 1, full: 1, items: 64, TimeSpan.FromSeconds(1));
        time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Equal(50, stage.Limit);
        stage.HasBatches = false;
        time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.Contains("one by one", controller.Decisions[^1].Reason, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => new BatchController(stage, s_goal, new BatchControllerOptions { Max = 49 }));
    }

    [Fact]
    public async Task Start_PipelineWithATimeOfItsOwn_LooksByThat()
    {
        var time = new VirtualTime();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).HaltOnDispose().Configure(options => options with { Time = time })
            .Stage("a", static (ref long _) => { }).Run();
        using BatchController controller = BatchController.Start(pipeline["a"], s_goal);
        time.Advance(TimeSpan.FromMilliseconds(99));
        Assert.Empty(controller.Decisions);
        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Single(controller.Decisions);
    }

    public static TheoryData<BatchControllerOptions, string> Bad => new()
    {
        { new BatchControllerOptions { Min = 0 }, "Min=0" },
        { new BatchControllerOptions { Max = 0 }, "Max=0" },
        { new BatchControllerOptions { Max = -3 }, "Max=-3" },
        { new BatchControllerOptions { Min = 9, Max = 8 }, "min=9, max=8" },
        { new BatchControllerOptions { Period = TimeSpan.Zero }, "Period=00:00:00" },
        { new BatchControllerOptions { LogLength = 0 }, "LogLength=0" },
    };

    [Theory]
    [MemberData(nameof(Bad))]
    public void Options_OutOfRange_AreRefused(BatchControllerOptions options, string told) =>
        Assert.Contains(told, Assert.ThrowsAny<ArgumentException>(() => new BatchController(new FedStage(), s_goal, options)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void Latency_NotAboveZero_IsRefused(int ticks) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => BatchGoal.Latency(TimeSpan.FromTicks(ticks)));

    [Fact]
    public async Task Start_StageThatCannotBeTuned_IsRefused()
    {
        await using Pipeline<long> manual = Pipeline.Of<long>(8).HaltOnDispose().Stage("a", static (ref long _) => { }).Run(Plan.Manual);
        Assert.Contains("'a'", Assert.Throws<ArgumentException>(() => BatchController.Start(manual["a"], s_goal)).Message, StringComparison.Ordinal);
        await using Pipeline<long> single = Pipeline.Of<long>(8).HaltOnDispose().Stage("b", static (ref long _) => { }, Dispatch.Single).Run();
        Assert.Throws<ArgumentException>(() => BatchController.Start(single["b"], s_goal));
        await using Pipeline<long> ended = Pipeline.Of<long>(8).HaltOnDispose().Stage("c", static (ref long _) => { }).Run();
        await ended.HaltAsync().OrHang();
        Assert.Throws<InvalidOperationException>(() => BatchController.Start(ended["c"], s_goal));
        Assert.Throws<ArgumentNullException>(() => BatchController.Start(null!, s_goal));
        Assert.Throws<ArgumentNullException>(() => BatchController.Start(ended["c"], null!));
    }

    // Real items, real time: an item takes 20 µs at least, so that a batch of 1,024 takes 20 ms and one of 1 does not.
    [Theory]
    [InlineData(1024, 2, true)]
    [InlineData(1, 60_000, false)]
    public async Task Running_FarFromItsGoal_MovesTowardsIt(int limit, double milliseconds, bool down)
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(4096).HaltOnDispose()
            .Stage("slow", static (ref long _) => Spin(), Dispatch.Batch(max: limit))
            // A thread of its own: nothing but the limit ends a batch then.
            .Run(Plan.SharedRing);
        Stage stage = pipeline["slow"];
        using BatchController controller = BatchController.Start(
            stage, BatchGoal.Latency(TimeSpan.FromMilliseconds(milliseconds)), new BatchControllerOptions { Period = TimeSpan.FromMilliseconds(5) });
        Task publishing = Task.Run(async () =>
        {
            SingleProducer<long> producer = pipeline.CreateProducer();
            for (long item = 0; ; item++) await producer.PublishAsync(item);
        });
        Watchdog.Until(() => down ? stage.Dispatch.Max <= 256 : stage.Dispatch.Max > 256, "the limit to move");
        Assert.All(
            controller.Decisions.Where(decision => decision.From != decision.To).Take(1),
            decision => Assert.Equal(down, decision.To < decision.From));
        await pipeline.HaltAsync().OrHang();
        await Assert.ThrowsAsync<RingStoppedException>(() => publishing.OrHang());
        Watchdog.Until(() => controller.HasEnded, "the controller to end with its stage");

        static void Spin()
        {
            long end = System.Diagnostics.Stopwatch.GetTimestamp() + System.Diagnostics.Stopwatch.Frequency / 50_000;
            while (System.Diagnostics.Stopwatch.GetTimestamp() < end) Thread.SpinWait(1);
        }
    }

    // The machine may hold up the thread that makes the timer, for longer than the period.
    [Fact]
    public void TimerFiresBeforeItIsKnown_ControllerEndsWithItsStage()
    {
        var time = new HeldUp();
        var stage = new FedStage { Time = time };
        time.BeforeFiring = () => stage.HasEnded = true;
        using var controller = new BatchController(stage, s_goal, new BatchControllerOptions());
        Assert.True(controller.HasEnded);
        Assert.Equal("the stage has ended", Assert.Single(controller.Decisions).Reason);
    }

    // A timer has fired by the time that the call returns which sets it.
    private sealed class HeldUp : TimeProvider
    {
        public Action? BeforeFiring { get; set; }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            var timer = new Timer(this, () => callback(state));
            timer.Change(dueTime, period);
            return timer;
        }

        private sealed class Timer(HeldUp time, Action fire) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                if (dueTime == Timeout.InfiniteTimeSpan) return true;
                time.BeforeFiring?.Invoke();
                fire();
                return true;
            }

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }

    private sealed class FedStage : ITunable
    {
        private readonly long[] _reasons = new long[Enum.GetValues<CloseReason>().Length];
        private long _batches;
        private long _items;
        private TimeSpan _working;

        public string Name => "fed";

        public TimeProvider Time { get; init; } = TimeProvider.System;

        public bool HasEnded { get; set; }

        public bool HasBatches { get; set; } = true;

        public int Limit { get; set; } = 1;

        public int LeastLimit { get; set; } = 1;

        public void Did(long batches, long full, long items, TimeSpan working, long cut = 0)
        {
            _reasons[(int)CloseReason.Cut] += cut;
            _batches += batches;
            _items += items;
            _working += working;
            _reasons[(int)CloseReason.Full] += full;
        }

        public StageStatistics GetStatistics() => new()
        {
            Name = Name, Batches = _batches, Items = _items, Working = _working, CloseReasons = [.. _reasons], BatchSizes = [],
        };
    }
}
