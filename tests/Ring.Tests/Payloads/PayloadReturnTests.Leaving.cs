namespace Raceway.Rings.Tests;

/// <content>Stages that leave while they have buffers.</content>
public sealed partial class PayloadReturnTests
{
    [Fact]
    public async Task Halt_StageOnItsWayOut_HasLeftBeforeWhatIsLeftOverIsCounted()
    {
        // Both wait for the same step. In some rounds the ring sees its end first, in others the call that detaches the stage does.
        for (int round = 0; round < 10; round++)
        {
            Task detached = Task.CompletedTask;
            SingleProducer<Message>? producer = null;
            int offered = 0;
            var ring = new RingBuffer<Message>(8, new RingOptions<Message>
            {
                Payload = static (ref Message message) => ref message.Body,
                PayloadOptions = new PayloadOptions { MaxLength = 256, KeepLength = 64, Pool = _pool },
                OnUnprocessed = (ref Message message) =>
                {
                    if (!SpinWait.SpinUntil(() => Volatile.Read(ref detached).IsCompleted, TimeSpan.FromSeconds(20))) throw new TimeoutException();
                    // A look at the room takes back what is released: longer ones than a slot keeps go to the pool, which spoils them.
                    Assert.InRange(producer!.Remaining, 0, 8);
                    Read(ref message);
                    offered++;
                },
            });
            var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using var go = new ManualResetEventSlim();
            Stage leaving = ring.Subscribe(
                (ref Message _) =>
                {
                    entered.TrySetResult();
                    go.Wait();
                },
                Make.Stepped());
            Stage staying = ring.Subscribe((ref Message message) => Read(ref message), Make.Stepped());
            producer = ring.CreateProducer();
            using (Claim<Message> claim = producer.Claim(8))
            {
                foreach (ref Message message in claim) Write(ref message, 177);
                claim.Commit();
            }

            Task step = Watchdog.Run(() => leaving.Step(1));
            await Watchdog.Await(entered.Task, ring);
            staying.Step(5);
            Volatile.Write(ref detached, ring.DetachAsync(leaving));
            Task halted = ring.HaltAsync();
            go.Set();
            await Watchdog.Await(Task.WhenAll(halted, step, detached, ring.Completion), ring);
            Assert.Equal((3, 3, RingState.Stopped), (ring.Unprocessed, offered, ring.State));
            AssertAllReturned(ring);
        }
    }

    [Fact]
    public async Task Detach_OnlyStageInACall_BuffersStayItsUntilItReturns()
    {
        RingBuffer<Message> ring = Ring(ProducerKind.Single, "park", capacity: 2);
        using var go = new ManualResetEventSlim();
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Stage stage = ring.Subscribe(new BatchLambda<Message>(batch =>
        {
            entered.TrySetResult();
            go.Wait();
            foreach (ref Message message in batch) Read(ref message);
        }));
        ring.Start();
        SingleProducer<Message> producer = ring.CreateProducer();
        producer.Publish(101L, Write);
        await Watchdog.Await(entered.Task, ring);
        Task detached = ring.DetachAsync(stage);
        for (long id = 102; id < 106; id++) producer.TryPublish(id, Write);
        go.Set();
        await Watchdog.Await(detached, ring);
        Assert.Equal(RingState.Running, ring.State);
        await Watchdog.Await(ring.HaltAsync(), ring);
        AssertAllReturned(ring);
    }

    [Fact]
    public async Task Detach_HandlerNeverCompletes_BuffersStayItsOwn()
    {
        var time = new WatchedTime();
        var ring = new RingBuffer<Message>(8, new RingOptions<Message>
        {
            Payload = static (ref Message message) => ref message.Body,
            PayloadOptions = new PayloadOptions { MaxLength = 256, KeepLength = 64, Pool = _pool },
            Time = time,
        });
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Stage stage = ring.Subscribe(
            new AsyncLambda<Message>((_, _) =>
            {
                entered.TrySetResult();
                return new ValueTask(new TaskCompletionSource().Task);
            }),
            new StageOptions { HandlerTimeout = TimeSpan.FromHours(1) });
        ring.Start();
        ring.CreateProducer().Publish(77L, Write);
        await Watchdog.Await(entered.Task, ring);
        Task detached = ring.DetachAsync(stage);
        // First its token, and after the same time again the ring.
        for (int times = 0; times < 2; times++)
        {
            await Watchdog.UntilAsync(() => time.SetTimers > 0, ring);
            time.Advance(TimeSpan.FromHours(1));
        }

        await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        await Watchdog.Await(detached, ring);
        Assert.Equal((1, 0), (_pool.Outstanding, _pool.Returned));
    }
}
