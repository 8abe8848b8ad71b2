namespace Raceway.Rings.Tests;

/// <summary>Who commits around the end of a ring is told what became of it, wherever it does so, and is never left waiting.</summary>
public sealed class LatePublishTests
{
    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public async Task OnUnprocessed_CommitsAnOpenClaim_IsRefusedAndTheRingEnds(ProducerKind kind)
    {
        Action? commit = null;
        Exception? refusal = null;
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Producers = kind,
            MaxProducers = 2,
            DrainTimeout = TimeSpan.Zero,
            OnUnprocessed = (ref long _) =>
            {
                try
                {
                    commit!();
                }
                catch (RingStoppedException refused)
                {
                    refusal = refused;
                }
            },
        });
        Producer<long> other = Make.Producer(ring);
        other.Publish(1);
        Producer<long> holder = kind == ProducerKind.Single ? other : Make.Producer(ring);
        long first = holder.Claim().Sequence;
        commit = () => holder.Claimer.Settle(first, 1, 1);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.NotNull(refusal);
        Assert.Equal(1, ring.Unprocessed);
    }

    [Theory]
    [InlineData("idle")]
    [InlineData("start")]
    public async Task Hook_PublishesAfterTheSeal_TheRingEnds(string hook)
    {
        RingBuffer<long> ring = Make.Ring(8);
        Task<DrainResult>? drained = null;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Subscribe(new Hooked(hook, Late), new StageOptions { IdleTimeout = TimeSpan.FromMilliseconds(1) });
        Task started = ring.StartAsync();
        await Watchdog.Await(done.Task, ring);
        await Watchdog.Await(started, ring);
        await Watchdog.Await(drained!, ring);

        void Late()
        {
            if (drained is not null) return;
            using OpenProducer<long> open = producer.Open();
            open.Claim() = 7;
            try
            {
                // Refused, and takes the announcement back: as if the item was being published, which announces nothing.
                open.Claim(0);
            }
            catch (ArgumentOutOfRangeException)
            {
            }

            drained = ring.DrainAsync(Timeout.InfiniteTimeSpan);
            // The drain has nothing to wait for and seals the ring.
            while (ring.Sequencer.Cursor.Signal(0, -1)) Thread.Yield();
            try
            {
                open.Commit();
            }
            catch (RingStoppedException)
            {
                // Never handled, as this is the stage's own thread.
            }

            done.SetResult();
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Sharded)]
    public async Task Commit_AfterTheSeal_StageAsleep_IsWokenAndHandlesIt(ProducerKind kind)
    {
        RingBuffer<long> ring = Make.Ring(8, kind);
        var handler = new Summer();
        Stage stage = ring.Subscribe(handler);
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        ring.Complete();
        ring.Sequencer.Cursor.Release();
        await Watchdog.UntilAsync(() => Peek.IsArmed(ring.Sequencer.Cursor), ring);
        Store(producer.Claims.Lane, 0);
        Assert.False(producer.Claims.Lane.Signal());
        await Watchdog.UntilAsync(() => stage.Position == 0, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
    }

    private static unsafe void Store(Lane lane, long published) => Volatile.Write(ref *lane.Published, published);

    private sealed class Hooked(string hook, Action body) : IBatchHandler<long>, IIdleHandler, IStageLifetime
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnIdle()
        {
            if (hook == "idle") body();
        }

        public void OnStart()
        {
            if (hook == "start") body();
        }

        public void OnStop()
        {
        }
    }
}
