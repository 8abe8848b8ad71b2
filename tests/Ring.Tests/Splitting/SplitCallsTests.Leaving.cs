namespace Raceway.Rings.Tests;

/// <content>A stage that leaves while parts are under way.</content>
public sealed partial class SplitCallsTests
{
    [Fact]
    public async Task Detach_PartsAreUnderWay_EndsBehindThem()
    {
        var ring = new RingBuffer<long>(64, new RingOptions<long> { Wait = Wait.Async() });
        using var inside = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        int done = 0, parts = 0;
        var stage = ring.Subscribe(
            new BatchLambda<long>(batch =>
            {
                if (batch[0] == 0)
                {
                    Crowd.TakeLong();
                }
                else
                {
                    Interlocked.Increment(ref parts);
                    inside.Set();
                    go.Wait();
                }

                Interlocked.Add(ref done, batch.Count);
            }),
            new StageOptions { IsStateless = true, MostThreads = 3 });
        var other = new Recorder();
        ring.Subscribe(other);
        await ring.StartAsync();
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(0L);
        producer.ReleaseThread();
        await Watchdog.UntilAsync(() => stage.Position == 0, ring);
        Publish();
        await Watchdog.Run(inside.Wait).OrHang();
        Task left = ring.DetachAsync(stage);
        Assert.False(left.IsCompleted);
        go.Set();
        await Watchdog.Await(left, ring);
        Assert.Equal(stage.Position + 1, done);
        // No thread takes another one, and there were more than these.
        Assert.InRange(parts, 1, 3);
        Assert.InRange(done, 2, 29);
        Assert.True(stage.Split!.HasEnded);
        await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring);
        Assert.Equal(Make.Range(0, 29), other.Items);

        void Publish()
        {
            using Claim<long> claim = producer.Claim(29);
            for (int i = 0; i < claim.Count; i++) claim[i] = i + 1;
            claim.Commit();
        }
    }
}
