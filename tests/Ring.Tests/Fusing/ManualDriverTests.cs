namespace Raceway.Rings.Tests;

/// <summary>Stages stepped in an order drawn from a seed.</summary>
public sealed class ManualDriverTests
{
    // One line for each call: which stage, which items.
    private static List<string> Run(int seed)
    {
        List<string> log = [];
        var ring = Make.Ring(8);
        Stage first = Add("a");
        Stage second = Add("b", first);
        Stage third = Add("c", first, second);
        var driver = new ManualDriver([first, second, third], seed);
        SingleProducer<long> producer = ring.CreateProducer();
        for (int i = 0; i < 200; i++)
        {
            if (producer.TryPublish(i) == ClaimStatus.Full) log.Add("full");
            driver.StepAny(quantum: 4);
        }

        driver.RunUntilIdle();
        Assert.Equal(0, ring.Backlog);
        return log;

        Stage Add(string name, params Stage[] after) => ring.Subscribe(
            new BatchLambda<long>(batch => log.Add($"{name} {batch.Sequence}+{batch.Count}")),
            Make.Stepped(after: after, name: name));
    }

    [Fact]
    public void StepAny_SameSeed_SameRun()
    {
        for (int seed = 0; seed < 20; seed++) Assert.Equal(Run(seed), Run(seed));
        Assert.NotEqual(Run(1), Run(2));
    }

    [Fact]
    public void RunUntilIdle_Chain_HandlesAllInEveryStage()
    {
        var ring = Make.Ring(16);
        var handlers = new Recorder[] { new(), new(), new() };
        Stage first = ring.Subscribe(handlers[0], Make.Stepped());
        Stage second = ring.Subscribe(handlers[1], Make.Stepped(Dispatch.Batch(max: 2), after: [first]));
        Stage third = ring.Subscribe(handlers[2], Make.Stepped(Dispatch.Single, after: [second]));
        Make.PublishRange(ring.CreateProducer(), 0, 9);
        Assert.Equal(30, new ManualDriver([third, second, first], seed: 5).RunUntilIdle());
        Assert.All(handlers, handler => Assert.Equal(Make.Range(0, 9), handler.Items));
    }

    [Fact]
    public void UntilDue_AgesAndRetries_IsTheNearestOfThem()
    {
        TimeSpan hour = TimeSpan.FromHours(1);
        var time = new WatchedTime();
        RingBuffer<long> ring = Make.Ring(32, time: time);
        int calls = 0;
        Stage aged = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(min: 4, maxAge: 2 * hour), name: "aged"));
        Stage retried = ring.Subscribe(
            (ref long _) => _ = ++calls == 1 ? throw new InvalidOperationException() : calls,
            Make.Stepped(name: "retried") with { OnFault = FaultPolicy.Retry(1, hour) });
        var driver = new ManualDriver([aged, retried]);
        driver.RunUntilIdle();
        Assert.Equal(Timeout.InfiniteTimeSpan, driver.UntilDue());

        ring.CreateProducer().Publish(1);
        driver.RunUntilIdle();
        Assert.Equal(hour, driver.UntilDue());
        Assert.Equal(2 * hour, new ManualDriver([aged]).UntilDue());
        time.Advance(hour);
        Assert.Equal(TimeSpan.Zero, driver.UntilDue());
        driver.RunUntilIdle();
        Assert.Equal((2, hour), (calls, driver.UntilDue()));
        time.Advance(hour);
        Assert.Equal(1, driver.RunUntilIdle());
        Assert.Equal(Timeout.InfiniteTimeSpan, driver.UntilDue());
    }

    [Fact]
    public void UntilDue_IdleHook_ComesAgain()
    {
        var time = new WatchedTime();
        RingBuffer<long> ring = Make.Ring(32, time: time);
        var handler = new Recorder();
        Stage stage = ring.Subscribe(handler, Make.Stepped() with { IdleTimeout = TimeSpan.FromMinutes(1) });
        var driver = new ManualDriver([stage]);
        for (int hook = 0; hook < 3; hook++)
        {
            driver.RunUntilIdle();
            Assert.Equal(TimeSpan.FromMinutes(1), driver.UntilDue());
            time.Advance(driver.UntilDue());
        }
    }

    [Fact]
    public void UntilDue_WithinAStep_IsZero()
    {
        RingBuffer<long> ring = Make.Ring();
        TimeSpan? within = null;
        ManualDriver? driver = null;
        Stage stage = ring.Subscribe((ref long _) => within = driver!.UntilDue(), Make.Stepped());
        driver = new ManualDriver([stage]);
        ring.CreateProducer().Publish(1);
        driver.RunUntilIdle();
        Assert.Equal(TimeSpan.Zero, within);
    }
}
