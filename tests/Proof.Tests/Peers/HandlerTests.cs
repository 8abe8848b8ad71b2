namespace Raceway.Proof.Tests.Peers;

/// <summary>Where peers passed over an event that nobody had failed, or stood still: what runs around and inside handlers.</summary>
public sealed class HandlerTests
{
    [Theory]
    [InlineData("start")]
    [InlineData("idle")]
    [InlineData("policy")]
    public async Task BeforeABatch_Throws_SkipsNothing(string where)
    {
        // Both anchors treated whatever their loop threw as a failed event, and passed over it.
        List<long> offered = [];
        var ring = new RingBuffer<long>(8, new RingOptions<long> { OnUnprocessed = (ref long item) => offered.Add(item) });
        SingleProducer<long> producer = ring.CreateProducer();
        var handler = new Throwing(where, () => producer.Publish(4));
        Stage stage = ring.Subscribe(handler, new StageOptions
        {
            Drive = Drive.Caller,
            IdleTimeout = TimeSpan.FromTicks(1),
            OnFault = FaultPolicy.Decide<long>((ref long _, in FaultContext _) => throw new IOException()),
        });
        Make.PublishRange(producer, 0, 3);
        await Watchdog.UntilAsync(() => stage.Step().Kind == StepKind.Stopped, ring);
        await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        long last = where == "idle" ? 4 : 3;
        Assert.Equal(Make.Range(0, last), handler.Items.Concat(offered));
        Assert.Equal((0L, stage.Position + 1), (stage.GetStatistics().Skipped, handler.Items.Count));
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task HandlerPublishes_IntoItsOwnFullRing_IsToldAndTheRingEnds(string wait)
    {
        var ring = Make.Ring(4, ProducerKind.Multi, Wait.All.Single(each => each.Name == wait));
        MultiProducer<long> own = ring.CreateMultiProducer();
        List<Exception?> told = [];
        var handled = new Recorder();
        Stage stage = ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) =>
        {
            while (item < 4 && own.TryPublish(100) == ClaimStatus.Done) { }
            if (item < 4) told.Add(Record.Exception(() => own.Publish(100)));
        }));
        ring.Subscribe(handled, Make.After(stage));
        using (MultiProducer<long> producer = ring.CreateMultiProducer()) Make.PublishRange(producer, 0, 3);
        ring.Start();
        await Watchdog.UntilAsync(() => stage.Position >= 3, ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.NotEmpty(told);
        Assert.All(told, thrown => Assert.IsType<ReentrantPublishException>(thrown));
        Assert.Equal([0, 1, 2, 3], handled.Items.Where(static item => item < 4));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task AsyncBatch_FaultInTheMiddle_LosesThatItemOnly(bool marks, bool later)
    {
        // Disruptor-net threw the rest of the batch away.
        List<long> handled = [];
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>(async (batch, _) =>
            {
                List<long> done = [];
                for (int i = 0; i < batch.Count; i++)
                {
                    if (later) await Task.Yield();
                    if (batch[i] == 2) throw new FormatException();
                    done.Add(batch[i]);
                    if (!marks) continue;
                    handled.Add(batch[i]);
                    batch.Complete(i + 1);
                }

                if (!marks) handled.AddRange(done);
            }),
            Make.Stepped(onFault: FaultPolicy.Skip));
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        await Watchdog.UntilAsync(
            () =>
            {
                stage.Step();
                // A mark of the handler moves the position before the step that counts its items.
                return stage.Position == 5 && stage.GetStatistics().Items == 5;
            },
            ring);
        Assert.Equal([0, 1, 3, 4, 5], handled);
        Assert.Equal((1, 5), (stage.GetStatistics().Skipped, stage.GetStatistics().Items));
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
    }

    [Theory]
    [InlineData("park", false)]
    [InlineData("async", false)]
    [InlineData("park", true)]
    [InlineData("async", true)]
    public async Task Handler_AnyDriver_NeverRunsOnThePublishersThread(string wait, bool isAsync)
    {
        var ring = Make.Ring(4, wait: Wait.All.Single(each => each.Name == wait));
        int own = -1;
        long handled = 0;
        bool onOwn = false;
        Action<long> look = _ =>
        {
            onOwn |= Environment.CurrentManagedThreadId == Volatile.Read(ref own);
            Interlocked.Increment(ref handled);
        };
        if (isAsync)
        {
            ring.Subscribe(new AsyncLambda<long>(async (batch, _) =>
            {
                for (int i = 0; i < batch.Count; i++) look(batch[i]);
                await Task.Yield();
            }));
        }
        else
        {
            ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => look(item)));
        }

        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                Volatile.Write(ref own, Environment.CurrentManagedThreadId);
                Make.PublishRange(producer, 0, 199);
                // The thread stays the publisher's until all is handled.
                while (Interlocked.Read(ref handled) < 200) Thread.Yield();
            }),
            ring);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        Assert.False(onOwn);
    }

    private sealed class Throwing(string where, Action whenIdle) : IBatchHandler<long>, IStageLifetime, IIdleHandler
    {
        public List<long> Items { get; } = [];

        public void OnBatch(Batch<long> batch)
        {
            if (where == "policy") throw new FormatException();
            foreach (ref long item in batch) Items.Add(item);
        }

        public void OnStart()
        {
            if (where == "start") throw new FormatException();
        }

        public void OnIdle()
        {
            // An item comes at this very moment: it is not the one that has failed.
            whenIdle();
            throw new FormatException();
        }

        public void OnStop()
        {
        }
    }
}
