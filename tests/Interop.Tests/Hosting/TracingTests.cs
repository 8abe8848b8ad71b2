using System.Diagnostics;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Batches have spans, linked to what published their items; only where somebody listens.</summary>
[Collection(HostingAloneCollection.Name)]
public sealed class TracingTests
{
    [Fact]
    public async Task Batch_ItemsOfSeveralTraces_IsOneSpanLinkedToEach()
    {
        using var spans = new Spans();
        ActivityContext a = NewContext(), b = NewContext();
        var handler = new Hooked();
        await using Pipeline<Item> pipeline = Run(handler.Traced("store", static (ref Item item) => item.Context));
        SingleProducer<Item> producer = pipeline.CreateProducer();
        foreach (ActivityContext context in (ActivityContext[])[a, a, default, b, a]) producer.Publish(new Item(context));
        pipeline["store"].Step();

        Activity span = Assert.Single(spans.Ended);
        Assert.Equal([a, b, a], span.Links.Select(link => link.Context));
        Assert.Equal(("store", ActivityKind.Consumer, null), (span.DisplayName, span.Kind, span.ParentId));
        Assert.Equal(5, span.GetTagItem("raceway.batch.size"));
        Assert.Equal(0L, span.GetTagItem("raceway.batch.sequence"));
        Assert.Equal("drained", span.GetTagItem("raceway.batch.close_reason"));
        Assert.Equal(0, span.GetTagItem("raceway.batch.unlinked"));
        Assert.Same(span, handler.Current);
        Assert.Null(Activity.Current);
    }

    [Fact]
    public async Task Batch_UnderAnActivityOfTheThread_IsARootAndGivesItBack()
    {
        using var spans = new Spans();
        using Activity outer = new Activity("outer").Start();
        await using Pipeline<Item> pipeline = Run(new Hooked().Traced("store", static (ref Item item) => item.Context));
        pipeline.CreateProducer().Publish(new Item(NewContext()));

        pipeline["store"].Step();

        Assert.Null(Assert.Single(spans.Ended).ParentId);
        Assert.Same(outer, Activity.Current);
    }

    [Fact]
    public async Task Batch_MoreContextsThanLinks_CountsTheOthers()
    {
        using var spans = new Spans();
        await using Pipeline<Item> pipeline = Run(new Hooked().Traced("store", static (ref Item item) => item.Context));
        SingleProducer<Item> producer = pipeline.CreateProducer();
        for (int i = 0; i < BatchTracing.MaxLinks + 3; i++) producer.Publish(new Item(NewContext()));

        pipeline["store"].Step();

        Activity span = Assert.Single(spans.Ended);
        Assert.Equal(BatchTracing.MaxLinks, span.Links.Count());
        Assert.Equal(3, span.GetTagItem("raceway.batch.unlinked"));
    }

    [Fact]
    public async Task Handler_Throws_SpanSaysSoAndThePolicyDecides()
    {
        using var spans = new Spans();
        await using Pipeline<Item> pipeline = Run(
            new Hooked { Fault = new FormatException("bad") }.Traced("store", static (ref Item item) => item.Context), FaultPolicy.Skip);
        pipeline.CreateProducer().Publish(new Item(NewContext()));

        while (pipeline["store"].Position < 0) pipeline["store"].Step();

        Activity span = spans.Ended[0];
        Assert.Equal((ActivityStatusCode.Error, "bad"), (span.Status, span.StatusDescription));
        Assert.Contains(span.Events, seen => seen.Name == "exception");
        Assert.Equal(1, pipeline["store"].GetStatistics().Skipped);
    }

    [Fact]
    public async Task AsyncHandler_Span_LastsUntilItsTaskCompletes()
    {
        using var spans = new Spans();
        var handler = new Later();
        await using Pipeline<Item> pipeline = Run(
            static (definition, traced) => definition.Stage("store", traced),
            handler.Traced("store", static (ref Item item) => item.Context));
        ActivityContext context = NewContext();
        pipeline.CreateProducer().Publish(new Item(context));
        pipeline["store"].Step();
        Assert.Empty(spans.Ended);
        Assert.Null(Activity.Current);

        handler.Done.SetResult();
        await Watchdog.UntilAsync(() => spans.Ended.Count == 1, "the span ends");

        Assert.Equal(context, Assert.Single(spans.Ended[0].Links).Context);
        Assert.Same(spans.Ended[0], handler.Current);
    }

    [Fact]
    public async Task Hooks_OfTheHandlerInside_AreCalled()
    {
        var handler = new Hooked();
        Pipeline<Item> pipeline = Run(handler.Traced("store", static (ref Item item) => item.Context));
        pipeline["store"].Step();
        Assert.Equal(["start"], handler.Calls);

        await pipeline.DisposeAsync().OrHang();

        Assert.Equal(["start", "stop"], handler.Calls);
        ((IIdleHandler)handler.Traced("x", static (ref Item item) => item.Context)).OnIdle();
        Assert.Equal(["start", "stop", "idle"], handler.Calls);
    }

    [Fact]
    public async Task NobodyListens_ThereIsNoSpan()
    {
        var handler = new Hooked();
        await using Pipeline<Item> pipeline = Run(handler.Traced("store", static (ref Item item) => throw new InvalidOperationException()));
        pipeline.CreateProducer().Publish(new Item(NewContext()));

        pipeline["store"].Step();

        Assert.Equal(1, pipeline["store"].GetStatistics().Items);
        Assert.Null(handler.Current);
    }

    private static Pipeline<Item> Run(IBatchHandler<Item> handler, FaultPolicy? onFault = null) =>
        Run((definition, traced) => definition.Stage("store", traced, new() { OnFault = onFault }), handler);

    private static Pipeline<Item> Run<THandler>(Action<PipelineBuilder<Item, Item>, THandler> add, THandler handler)
    {
        PipelineBuilder<Item, Item> definition = Pipeline.Of<Item>(256).Configure(static options => options with { DrainTimeout = TimeSpan.Zero });
        add(definition, handler);
        return definition.Run(Plan.Manual);
    }

    private static ActivityContext NewContext() =>
        new(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded);

    private readonly record struct Item(ActivityContext Context);

    [Fact]
    public async Task Traced_WideHandler_KeepsItsWidth()
    {
        await using Pipeline<Item> wide = Run(new Hooked { Width = 8 }.Traced("store", static (ref Item item) => item.Context));

        Assert.Equal(8, wide["store"].GetStatistics().Width);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Traced_HandlerThatTakesAll_StillDoes(bool takesAll)
    {
        await using Pipeline<Item> whole = Pipeline.Of<Item>(8_192)
            .Stage("store", new Hooked { TakesAll = takesAll }.Traced("store", static (ref Item item) => item.Context)).Run(Plan.Manual);
        using SingleProducer<Item> producer = whole.CreateProducer();
        for (int i = 0; i < 5_000; i++) producer.Publish(default(Item));

        whole["store"].Step();

        Assert.Equal(takesAll ? 5_000 : 2_048, whole["store"].GetStatistics().Items);
    }

    private sealed class Hooked : IBatchHandler<Item>, IStageLifetime, IIdleHandler, IWideHandler, IWholeBatchHandler
    {
        public bool TakesAll { get; init; }

        public int Width { get; init; } = 1;

        public List<string> Calls { get; } = [];

        public Exception? Fault { get; init; }

        public Activity? Current { get; private set; }

        public void OnBatch(Batch<Item> batch)
        {
            Current = Activity.Current;
            if (Fault is not null) throw Fault;
        }

        public void OnStart() => Calls.Add("start");

        public void OnStop() => Calls.Add("stop");

        public void OnIdle() => Calls.Add("idle");
    }

    private sealed class Later : IAsyncBatchHandler<Item>
    {
        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Activity? Current { get; private set; }

        public async ValueTask OnBatchAsync(AsyncBatch<Item> batch, CancellationToken cancellation)
        {
            await Done.Task;
            Current = Activity.Current;
        }
    }

    private sealed class Spans : IDisposable
    {
        private readonly ActivityListener _listener;
        private readonly List<Activity> _ended = [];

        public Spans()
        {
            _listener = new ActivityListener
            {
                ShouldListenTo = static source => source.Name == BatchTracing.SourceName,
                Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
                ActivityStopped = span =>
                {
                    lock (_ended) _ended.Add(span);
                },
            };
            ActivitySource.AddActivityListener(_listener);
        }

        public IReadOnlyList<Activity> Ended
        {
            get
            {
                lock (_ended) return [.. _ended];
            }
        }

        public void Dispose() => _listener.Dispose();
    }
}
