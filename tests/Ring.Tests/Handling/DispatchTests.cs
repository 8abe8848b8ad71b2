namespace Raceway.Rings.Tests;

/// <summary>How often the handler is called, and when the next stage is told.</summary>
public sealed class DispatchTests
{
    private const int Items = 200;

    // What the next stage could see during each call.
    private readonly List<long> _visible = [];
    private readonly List<int> _calls = [];
    private readonly List<bool> _ends = [];

    private Stage Events(Dispatch dispatch)
    {
        var ring = Make.Ring(256);
        Stage? stage = null;
        stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool endOfBatch) =>
            {
                _visible.Add(stage!.Position);
                _ends.Add(endOfBatch);
            }),
            Make.Stepped(dispatch));
        Make.PublishRange(ring.CreateProducer(), 0, Items - 1);
        return stage;
    }

    private Stage Batches(Dispatch dispatch, int mark = 0)
    {
        var ring = Make.Ring(256);
        Stage? stage = null;
        stage = ring.Subscribe(
            new BatchLambda<long>(batch =>
            {
                _calls.Add(batch.Count);
                for (int i = 0; i < batch.Count; i++)
                {
                    _visible.Add(stage!.Position);
                    if (mark > 0 && (i + 1) % mark == 0) batch.Complete(i + 1);
                }
            }),
            Make.Stepped(dispatch));
        Make.PublishRange(ring.CreateProducer(), 0, Items - 1);
        return stage;
    }

    // Progress before item i, when it is told every so many items of a batch.
    private static IEnumerable<long> ToldEvery(int interval, int batch) =>
        Enumerable.Range(0, Items).Select(i => (long)(i / batch * batch + i % batch / interval * interval - 1));

    [Fact]
    public void Single_EventHandler_TellsAfterEachItem()
    {
        Stage stage = Events(Dispatch.Single);
        Assert.Equal(new StepResult(StepKind.Progressed, Items), stage.Step());
        Assert.Equal(Make.Range(-1, Items - 2), _visible);
        Assert.All(_ends, Assert.True);
        Assert.Equal(1, stage.GetStatistics().Batches);
    }

    [Theory]
    [InlineData(DispatchLevel.Each)]
    [InlineData(DispatchLevel.Batch)]
    public void EachOrBatch_EventHandler_TellsAfterEachBatch(DispatchLevel level)
    {
        Stage stage = Events(level == DispatchLevel.Each ? Dispatch.Each(max: 50) : Dispatch.Batch(max: 50));
        Assert.Equal(Items, Make.StepAll(stage));
        Assert.Equal(ToldEvery(50, 50), _visible);
        Assert.Equal(Enumerable.Range(1, Items).Select(i => i % 50 == 0), _ends);
        Assert.Equal(4, stage.GetStatistics().Batches);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(16)]
    [InlineData(50)]
    [InlineData(100)]
    public void ProgressInterval_EventHandler_TellsAsOftenAsAsked(int interval)
    {
        Events(Dispatch.Batch(max: 100, progressInterval: interval)).Step();
        Assert.Equal(ToldEvery(interval, 100).Take(100), _visible);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(40)]
    public void ProgressInterval_BatchHandlerCalledForEach_TellsAsOftenAsAsked(int interval)
    {
        Stage stage = Batches(Dispatch.Each(max: 100, progressInterval: interval));
        stage.Step();
        Assert.Equal(Enumerable.Repeat(1, 100), _calls);
        Assert.Equal(ToldEvery(interval, 100).Take(100), _visible);
        Assert.Equal(99, stage.Position);
    }

    [Fact]
    public void Batch_BatchHandler_OneCall()
    {
        Stage stage = Batches(Dispatch.Batch());
        stage.Step();
        Assert.Equal([Items], _calls);
        Assert.All(_visible, position => Assert.Equal(-1, position));
        Assert.Equal(Items - 1, stage.Position);
    }

    [Fact]
    public void Single_BatchHandler_ACallAndProgressForEach()
    {
        Batches(Dispatch.Single).Step();
        Assert.Equal(Enumerable.Repeat(1, Items), _calls);
        Assert.Equal(Make.Range(-1, Items - 2), _visible);
    }

    [Fact]
    public void Each_BatchHandler_ACallForEachProgressForAll()
    {
        Batches(Dispatch.Each()).Step();
        Assert.Equal(Enumerable.Repeat(1, Items), _calls);
        Assert.All(_visible, position => Assert.Equal(-1, position));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(10, 10)]
    public void Complete_Marks_AreToldAtTheInterval(int interval, int told)
    {
        Batches(Dispatch.Batch(progressInterval: interval), mark: 1).Step();
        Assert.Equal(ToldEvery(told, Items), _visible);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(64)]
    public void Max_And_Quantum_LimitTheBatch(int limit)
    {
        Stage byMax = Batches(Dispatch.Batch(max: limit));
        Assert.Equal(Items, Make.StepAll(byMax));
        Stage byQuantum = Batches(Dispatch.Batch());
        Assert.Equal(new StepResult(StepKind.Progressed, limit, More: true), byQuantum.Step(limit));
        Assert.Equal(Items - limit, Make.StepAll(byQuantum, limit));
        Assert.All(_calls, size => Assert.InRange(size, 1, limit));
        Assert.Equal(2 * ((Items + limit - 1) / limit), _calls.Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => byQuantum.Step(0));
    }

    [Fact]
    public void Dispatch_ChangedLive_HoldsFromTheNextBatch()
    {
        Stage stage = Batches(Dispatch.Batch(max: 10));
        stage.Step();
        stage.Dispatch = Dispatch.Batch(max: 25);
        stage.Step();
        stage.Dispatch = Dispatch.Single;
        stage.Step(3);
        Assert.Equal([10, 25, 1, 1, 1], _calls);
        Assert.Same(Dispatch.Single, stage.Dispatch);
    }

    [Theory]
    [InlineData(null, 256, 1024)]
    [InlineData(null, 8192, 2048)]
    [InlineData(null, 65536, 4096)]
    [InlineData(4096, 8192, 4096)]
    [InlineData(4095, 8192, 4095)]
    [InlineData(4096, 1024, 4096)]
    public void MaxIn_GivenOrNot_IsTheLimitOrFollowsFromTheCapacity(int? max, int capacity, int expected)
    {
        Assert.Equal((max, expected), (Dispatch.Batch(max).Max, Dispatch.Batch(max).MaxIn(capacity)));
        Assert.Equal(expected, Dispatch.Each(max).MaxIn(capacity));
    }

    [Fact]
    public void MaxIn_MinimumAboveTheUsual_IsNeverBelowTheMinimum()
    {
        Assert.Equal(6000, Dispatch.Batch(min: 6000).MaxIn(16384));
        Assert.Equal("batch max 4096", Dispatch.Batch(max: Dispatch.DefaultMax).ToString());
        Assert.Equal("batch", Dispatch.Batch().ToString());
        Assert.NotEqual(Dispatch.Batch(), Dispatch.Batch(max: Dispatch.DefaultMax));
    }

    [Fact]
    public void Create_BadArguments_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Batch(max: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Each(min: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Batch(progressInterval: -1));
        Assert.Throws<ArgumentException>(() => Dispatch.Batch(max: 4, min: 5));
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Batch(maxAge: TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Batch(maxAge: TimeSpan.FromTicks(-5)));
        ArgumentException age = Assert.Throws<ArgumentException>(() => Dispatch.Batch(max: 256, maxAge: TimeSpan.FromMilliseconds(1)));
        Assert.Contains("min=1, maxAge=00:00:00.0010000. Leave maxAge out", age.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => Dispatch.Each(maxAge: TimeSpan.FromMilliseconds(1)));
        var ring = Make.Ring(8);
        Assert.Throws<ArgumentException>(
            () => ring.Subscribe(new Recorder(), new StageOptions { Dispatch = Dispatch.Batch(min: 5) }));
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(min: 4)));
        Assert.Throws<ArgumentException>(() => stage.Dispatch = Dispatch.Batch(min: 5));
        Assert.Throws<ArgumentNullException>(() => stage.Dispatch = null!);
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Of((DispatchLevel)3));
        Assert.Throws<ArgumentOutOfRangeException>(() => Dispatch.Of(DispatchLevel.Each, 0, 1, Timeout.InfiniteTimeSpan, 0, long.MaxValue));
    }

    [Fact]
    public void Of_ALevel_IsTheOneOfThatName()
    {
        Assert.Same(Dispatch.Single, Dispatch.Of(DispatchLevel.Single));
        Assert.Equal(Dispatch.Each(), Dispatch.Of(DispatchLevel.Each));
        Assert.Equal(
            Dispatch.Batch(max: 64, min: 8, maxAge: TimeSpan.FromSeconds(1), progressInterval: 4, maxWeight: 99),
            Dispatch.Of(DispatchLevel.Batch, 64, 8, TimeSpan.FromSeconds(1), 4, 99));
        Assert.Equal((false, true, true), (Dispatch.Single.HasLimits, Dispatch.Each().HasLimits, Dispatch.Batch().HasLimits));
        Assert.Equal((false, false, true), (Dispatch.Single.CallsBatches, Dispatch.Each().CallsBatches, Dispatch.Batch().CallsBatches));
    }
}
