namespace Raceway.Pipelines.Tests.Codegen;

/// <summary>A method that runs once an item or once a batch.</summary>
/// <param name="Name">Its name in the listing, without parameters.</param>
/// <param name="LoopsOnly">A loop of the user's: only what is inlined into the loop counts.</param>
/// <param name="Allowed">What it may call, see <see cref="CallRules"/>.</param>
internal sealed record HotMethod(string Name, bool LoopsOnly, IReadOnlyList<Allowance> Allowed)
{
    private const string Canon = "System.__Canon";

    private static readonly Allowance s_barrier = new("CORINFO_HELP_ASSIGN_REF", "the item is a reference");
    private static readonly Allowance s_checkedBarrier =
        new("CORINFO_HELP_CHECKED_ASSIGN_REF", "the item is a reference, stored through one");
    private static readonly Allowance s_handlerBarrier =
        new("CORINFO_HELP_ASSIGN_REF", "the handler is a reference, written back once a batch");

    private static readonly Allowance[] s_payloads =
    [
        new("virtual Raceway.Rings.PayloadAccessor`1", "rings with payloads only, behind a test"),
        new("CORINFO_HELP_CHECKED_ASSIGN_REF", "rings with payloads only, behind a test"),
    ];

    /// <summary>All of them.</summary>
    public static IReadOnlyList<HotMethod> All { get; } =
    [
        .. PublishLoops(), .. Producers(), .. Stages(), .. Handlers(),
        Of("Raceway.Rings.Progress:Advance"),
        Of("Raceway.Rings.Availability:Publish"),
        Of("Raceway.Rings.Availability:Scan"),
        Of("Raceway.Rings.Slots`1[long]:View"),
        Of($"Raceway.Rings.Slots`1[{Canon}]:View"),
        Of("Raceway.Rings.AdaptiveWaiting:Progressed"),
    ];

    private static IEnumerable<HotMethod> PublishLoops()
    {
        yield return Loop("OpenPublish", s_payloads);
        yield return Loop("OpenPublishItems", s_payloads);
        yield return Loop("OpenClaimCommit", s_payloads);
        yield return Loop("OpenClaimCommitItems", s_payloads);
        yield return Loop("SinglePublish");
        yield return Loop("SinglePublishItems", s_barrier);
        yield return Loop("MultiPublish");
        yield return Loop("MultiPublishItems", s_barrier);
    }

    private static IEnumerable<HotMethod> Producers()
    {
        yield return Of("Raceway.Rings.OpenProducer`1[long]:Claim");
        yield return Of("Raceway.Rings.OpenProducer`1[long]:Commit");
        yield return Of("Raceway.Rings.OpenProducer`1[long]:Publish");
        yield return Of($"Raceway.Rings.OpenProducer`1[{Canon}]:Claim");
        yield return Of($"Raceway.Rings.OpenProducer`1[{Canon}]:Commit");
        yield return Of($"Raceway.Rings.OpenProducer`1[{Canon}]:Publish", s_checkedBarrier);
        yield return Of("Raceway.Rings.SingleProducer`1[long]:Publish");
        yield return Of($"Raceway.Rings.SingleProducer`1[{Canon}]:Publish", s_barrier);
        yield return Of("Raceway.Rings.MultiProducer`1[long]:Publish");
        yield return Of($"Raceway.Rings.MultiProducer`1[{Canon}]:Publish", s_barrier);
    }

    // Once a batch.
    private static IEnumerable<HotMethod> Stages()
    {
        yield return Of(
            "Raceway.Rings.Stage:StepOnce",
            new("virtual Raceway.Rings.Stage:MaxPerCall", "what one call can take is the kind of stage's to say"),
            new("virtual Raceway.Rings.Stage:get_IsAbandoned", "a handler pending at the end of the ring only"));
        yield return Of(
            "Raceway.Rings.Stage:Look",
            new Allowance("GetTimestamp", "the clock, where items stay behind"));
        yield return Of(
            "Raceway.Rings.Stage:Run",
            new("virtual Raceway.Rings.Stage:Invoke", "the kind of stage"),
            new("register", "where the thread's mark of its ring lies"),
            new("CORINFO_HELP_ASSIGN_REF", "the thread's mark of its ring"),
            new("CORINFO_HELP_GETDYNAMIC_GCTHREADSTATIC_BASE", "the thread's first mark"));
        yield return Of("Raceway.Rings.Stage:Settle");
        yield return Of("Raceway.Rings.StageCounters:AddBatch");
    }

    private static IEnumerable<HotMethod> Handlers()
    {
        // Structs: everything is direct.
        yield return Events("long", "Raceway.Codegen.EventSum");
        yield return Events(Canon, "Raceway.Codegen.EventTouch");
        yield return Batches("long", "Raceway.Codegen.BatchSum");
        yield return Batches(Canon, "Raceway.Codegen.BatchTouch");

        // Delegates: the delegate's call is all there is, where the item is a value.
        yield return Events(
            "long",
            "Raceway.Rings.DelegateHandler`1[long]",
            new("virtual Raceway.Rings.SlotAction`1[long]:Invoke", "the user's delegate"),
            s_handlerBarrier);
        yield return Events(
            Canon,
            $"Raceway.Rings.DelegateHandler`1[{Canon}]",
            new("register", "the adapter's code is shared by all classes, so it is found by the dictionary, and calls the delegate"),
            new("CORINFO_HELP_RUNTIMEHANDLE_CLASS", "the same; looked up once a run of items"),
            s_handlerBarrier);

        // Classes: one interface call, for which batches exist.
        yield return Events(
            "long", Canon, new("interface Raceway.Rings.IEventHandler`1[long]:OnEvent", "a class handler"), s_handlerBarrier);
        yield return Batches(
            "long", Canon, new("interface Raceway.Rings.IBatchHandler`1[long]:OnBatch", "a class handler"), s_handlerBarrier);
        yield return Batches(
            Canon,
            Canon,
            new("interface", "a class handler"),
            new("CORINFO_HELP_RUNTIMEHANDLE_CLASS", "of items that are references: which interface it is, is looked up"),
            s_handlerBarrier);
    }

    private static HotMethod Events(string item, string handler, params Allowance[] allowed) =>
        Of($"Raceway.Rings.EventStage`2[{item},{handler}]:Invoke", allowed);

    private static HotMethod Batches(string item, string handler, params Allowance[] allowed) =>
        Of($"Raceway.Rings.BatchStage`2[{item},{handler}]:Invoke", allowed);

    private static HotMethod Loop(string name, params Allowance[] allowed) =>
        new($"Raceway.Codegen.PublishLoops:{name}", true, allowed);

    private static HotMethod Of(string name, params Allowance[] allowed) => new(name, false, allowed);
}
