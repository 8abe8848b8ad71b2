namespace Raceway.Rings.Tests;

/// <summary>However a ring ends, every buffer goes back exactly once, and none while somebody reads it.</summary>
public sealed partial class PayloadReturnTests
{
    private readonly PoisonPool _pool = new();
    private int _poisoned;

    private RingBuffer<Message> Ring(ProducerKind kind, string wait, int capacity = 8, bool clear = true) =>
        new(capacity, new RingOptions<Message>
        {
            Producers = kind,
            MaxProducers = 2,
            Wait = Wait.All.Single(each => each.Name == wait),
            Payload = static (ref Message message) => ref message.Body,
            ClearSlots = clear,
            PayloadOptions = new PayloadOptions { MaxLength = 256, KeepLength = 64, Pool = _pool },
            OnUnprocessed = (ref Message message) => Read(ref message),
            DrainTimeout = TimeSpan.Zero,
        });

    private void Read(ref Message message)
    {
        foreach (byte each in message.Body.Span)
            if (each != (byte)message.Id) Interlocked.Increment(ref _poisoned);
    }

    private static void Write(ref Message message, long id)
    {
        message.Id = id;
        message.Body.Reserve((int)(id % 200)).Fill((byte)id);
    }

    private void AssertAllReturned(RingBuffer<Message> ring)
    {
        Assert.True(ring.State is RingState.Stopped or RingState.Faulted);
        Assert.Equal((0, 0, 0, true), (_pool.Outstanding, _pool.Misuses, _poisoned, _pool.QuarantineIsIntact()));
        Assert.True(_pool.Rented > 0);
    }

    public static TheoryData<string, ProducerKind, string> Endings()
    {
        var data = new TheoryData<string, ProducerKind, string>();
        foreach (string wait in new[] { "park", "yield", "async" })
        {
            foreach (ProducerKind kind in new[] { ProducerKind.Single, ProducerKind.Multi })
                foreach (string ending in new[] { "drain", "halt", "fault", "dispose" }) data.Add(wait, kind, ending);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task Ending_UnderLoadWithAborts_ReturnsEveryBufferOnce(string wait, ProducerKind kind, string ending)
    {
        RingBuffer<Message> ring = Ring(kind, wait);
        long faultAt = ending == "fault" ? 300 : long.MaxValue;
        Stage first = ring.Subscribe((ref Message message) => Read(ref message));
        ring.Subscribe(
            (ref Message message) =>
            {
                Read(ref message);
                if (message.Id >= faultAt) throw new FormatException();
            },
            Make.After(first));
        ring.Start();
        Producer<Message> producer = Make.Producer(ring);
        Task publishing = Watchdog.Run(() => PublishUntilRefused(producer));
        await Watchdog.UntilAsync(() => first.Position > 400 || ring.State == RingState.Faulted, ring);
        if (ending == "drain") await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        if (ending == "halt") await Watchdog.Await(ring.HaltAsync(), ring);
        if (ending == "dispose") await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        await Watchdog.Await(publishing, ring);
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        AssertAllReturned(ring);
        Assert.Equal(ending == "fault" ? RingState.Faulted : RingState.Stopped, ring.State);
    }

    private static void PublishUntilRefused(Producer<Message> producer)
    {
        try
        {
            // Bounded, so that a ring whose end a test waits for is not kept busy for ever.
            for (long id = 1; id < 10_000_000; id++)
            {
                using Claim<Message> claim = producer.Claim(1 + (int)(id % 3));
                foreach (ref Message message in claim) Write(ref message, id);
                if (id % 7 != 0) claim.Commit(id % 5 == 0 ? 1 : claim.Count);
            }
        }
        catch (InvalidOperationException)
        {
            // Stopped, faulted or disposed.
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single, false)]
    [InlineData(ProducerKind.Multi, false)]
    [InlineData(ProducerKind.Single, true)]
    [InlineData(ProducerKind.Multi, true)]
    public async Task Halt_LastClaimGivenUp_ReturnsItsBuffers(ProducerKind kind, bool partly)
    {
        RingBuffer<Message> ring = Ring(kind, "park");
        GiveUp(Make.Producer(ring));
        await Watchdog.Await(ring.HaltAsync(), ring);
        AssertAllReturned(ring);

        void GiveUp(Producer<Message> producer)
        {
            using Claim<Message> claim = producer.Claim(3);
            foreach (ref Message message in claim) Write(ref message, 9);
            if (partly) claim.Commit(1);
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single, false)]
    [InlineData(ProducerKind.Multi, false)]
    [InlineData(ProducerKind.Single, true)]
    [InlineData(ProducerKind.Multi, true)]
    public async Task Halt_ClaimStillOpen_ReturnsItsBuffersWhenItEnds(ProducerKind kind, bool commits)
    {
        RingBuffer<Message> ring = Ring(kind, "park");
        Producer<Message> producer = Make.Producer(ring);
        Exception? thrown = await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using Claim<Message> claim = producer.Claim(3);
                foreach (ref Message message in claim) Write(ref message, 9);
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                // Written after the end of the ring: the buffer must be the claim's still.
                foreach (ref Message message in claim) Read(ref message);
                if (commits) claim.Commit();
            }).Ended,
            ring);
        Assert.Equal(commits ? typeof(RingStoppedException) : null, thrown?.GetType());
        AssertAllReturned(ring);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Halt_OpenProducersClaim_ReturnsItsBuffersWhenItEnds(bool commits)
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Single, "park");
        SingleProducer<Message> producer = ring.CreateProducer();
        Exception? thrown = await Watchdog.Await(
            Watchdog.RunThread(() =>
            {
                using OpenProducer<Message> open = producer.Open();
                foreach (ref Message message in open.Claim(3)) Write(ref message, 9);
                Task halt = ring.HaltAsync();
                while (!halt.IsCompleted) Thread.Yield();
                if (commits) open.Commit(2);
            }).Ended,
            ring);
        Assert.Equal(commits ? typeof(RingStoppedException) : null, thrown?.GetType());
        AssertAllReturned(ring);
    }

    [Fact]
    public async Task Halt_AsyncHandlerPending_BuffersAreItsUntilItCompletes()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Single, "park");
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        ring.Subscribe(new AsyncLambda<Message>(async (batch, _) =>
        {
            entered.TrySetResult();
            await go.Task;
            for (int i = 0; i < batch.Count; i++) Read(ref batch[i]);
        }));
        ring.Start();
        ring.CreateProducer().Publish(77L, Write);
        await Watchdog.Await(entered.Task, ring);
        Task halt = ring.HaltAsync();
        Assert.Equal(0, _pool.Returned);
        go.SetResult();
        await Watchdog.Await(halt, ring);
        AssertAllReturned(ring);
    }

    [Fact]
    public async Task Sweep_LongBuffers_GoBackAndShortOnesStay()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Single, "park");
        Stage stage = ring.Subscribe((ref Message message) => Read(ref message), Make.Stepped());
        SingleProducer<Message> producer = ring.CreateProducer();
        producer.Publish(60L, Write);
        producer.Publish(160L, Write);
        Assert.Equal(2, _pool.Outstanding);
        Make.StepAll(stage);
        Assert.Equal(1, _pool.Outstanding);
        for (long lap = 0; lap < 8; lap++) producer.Publish(20L, Write);
        Make.StepAll(stage);
        Assert.Equal(8, _pool.Outstanding);
        Assert.Equal(9, _pool.Rented);
        await Watchdog.Await(ring.HaltAsync(), ring);
        AssertAllReturned(ring);
    }
}
