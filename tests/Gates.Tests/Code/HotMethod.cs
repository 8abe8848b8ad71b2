namespace Raceway.Gates.Tests.Code;

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
    private static readonly Allowance s_lookUp =
        new("CORINFO_HELP_RUNTIMEHANDLE_CLASS", "which interface it is, where the item is a reference: looked up once a call");
    private static readonly Allowance s_wrapped =
        new("register", "the wrapper of a handler that returns nothing, where the item is a reference: its address is looked up once a call");
    // A gate's exit is inlined: what is left of it is the monitor's own.
    private static readonly Allowance s_gate = new("Monitor:Exit", "the gate, once a look");

    /// <summary>All of them.</summary>
    public static IReadOnlyList<HotMethod> All { get; } =
    [
        .. PublishLoops(), .. Producers(), .. Stages(), .. Handlers(),
        Of("Raceway.Rings.Progress:Advance"),
        Of("Raceway.Rings.Availability:Publish"),
        Of("Raceway.Rings.Availability:ReadableEnd"),
        Of("Raceway.Rings.Availability:RunApart"),
        Of("Raceway.Rings.StampScan:Run"),
        .. Lanes(), .. Columns("long"), .. Columns(Canon),
        Of("Raceway.Rings.AdaptiveWaiting:Progressed"),
    ];

    private static IEnumerable<HotMethod> PublishLoops()
    {
        yield return Loop("OpenPublish");
        yield return Loop("OpenPublishItems", s_checkedBarrier);
        yield return Loop("OpenClaimCommit");
        yield return Loop("OpenClaimCommitItems");
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
        // With stamps in the slots every commit takes this way.
        yield return Of("Raceway.Rings.SingleClaimer:Tell");
        yield return Of(
            "Raceway.Rings.SingleClaimer:TrySignal",
            new Allowance("virtual Raceway.Rings.Lane:Signal", "the ring's only lane, or one of several, where a stage waits"));
    }

    // Of a sharded ring: once a look, and once a run.
    private static IEnumerable<HotMethod> Lanes()
    {
        yield return Of("Raceway.Rings.Lanes:ReadableEnd");
        yield return Of("Raceway.Rings.Lanes:Merge", s_gate, new Allowance("ArgumentNullException:Throw", "it throws"));
        yield return Of("Raceway.Rings.Lanes:Append");
        yield return Of("Raceway.Rings.Lanes:Release");
        yield return Of("Raceway.Rings.Lanes:Find");
        yield return Of("Raceway.Rings.Lanes:Left");
    }

    private static IEnumerable<HotMethod> Columns(string item) =>
    [
        Of($"Raceway.Rings.Slots`1[{item}]:View"),
        Of($"Raceway.Rings.Slots`1[{item}]:Run"),
        Of($"Raceway.Rings.LaneSlots`1[{item}]:Find"),
        Of($"Raceway.Rings.ColumnStage`1[{item}]:MostFrom"),
    ];

    // Once a batch.
    private static IEnumerable<HotMethod> Stages()
    {
        yield return Of(
            "Raceway.Rings.Stage:StepOnce",
            new Allowance("virtual Raceway.Rings.Stage:get_IsAbandoned", "a handler pending at the end of the ring only"));
        yield return Of(
            "Raceway.Rings.Stage:Close",
            new Allowance("virtual Raceway.Rings.Stage:MostFrom", "batches of a weight, and those of a sharded ring, only"));
        yield return Of(
            "Raceway.Rings.Stage:Look",
            new("virtual Raceway.Rings.Ingress:ReadableEnd", "stamps or lanes, where there are any"),
            new("GetTimestamp", "the clock, where items stay behind"));
        yield return Of(
            "Raceway.Rings.Stage:Run",
            new("virtual Raceway.Rings.Stage:Invoke", "the kind of stage"),
            new("register", "where the thread's mark of its ring lies"),
            new("CORINFO_HELP_ASSIGN_REF", "the thread's mark of its ring"),
            new("CORINFO_HELP_GETDYNAMIC_GCTHREADSTATIC_BASE", "the thread's first mark"));
        yield return Of("Raceway.Rings.Stage:Settle");
        yield return Of("Raceway.Rings.StageCounters:AddBatch");
    }

    private static IEnumerable<HotMethod> Handlers() =>
    [
        // Structs: everything is direct.
        .. Events("long", "Raceway.Codegen.EventSum", []),
        .. Events(Canon, "Raceway.Codegen.EventTouch", []),
        Batches("long", Plain("long", "Raceway.Codegen.BatchSum")),
        Batches(Canon, Plain(Canon, "Raceway.Codegen.BatchTouch"), s_lookUp, s_wrapped),

        // Delegates: the delegate's call is all there is.
        .. Delegates("long"),
        .. Delegates(Canon),

        // Classes: one interface call, for which batches exist. Of items that are references the interface is looked up.
        .. Events(
            "long", "Raceway.Rings.ClassHandler`1[long]", [s_handlerBarrier],
            new Allowance("virtual Raceway.Rings.EventAction`1[long]:Invoke", "a class handler, through a delegate")),
        .. Events(Canon, Canon, [s_handlerBarrier], new("interface", "a class handler"), s_lookUp),
        Batches(
            "long", Plain("long"), new("interface Raceway.Rings.IBatchHandler`1[long]:OnBatch", "a class handler"), s_handlerBarrier),
        Batches(Canon, Plain(Canon), s_wrapped, s_lookUp, s_handlerBarrier),
    ];

    // The frame, with the loop over a batch inlined, and the loop of single dispatch: both call the handler.
    private static HotMethod[] Events(string item, string handler, Allowance[] once, params Allowance[] each)
    {
        string stage = $"Raceway.Rings.EventStage`2[{item},{handler}]";
        return [Of($"{stage}:Invoke", [.. once, .. each]), Of($"{stage}:RunSingle", each)];
    }

    private static HotMethod[] Delegates(string item) =>
    [
        Of($"Raceway.Rings.DelegateStage`1[{item}]:Invoke"),
        Of(
            $"Raceway.Rings.DelegateStage`1[{item}]:Run",
            new Allowance($"virtual Raceway.Rings.SlotAction`1[{item}]:Invoke", "the user's delegate")),
    ];

    private static HotMethod Batches(string item, string handler, params Allowance[] allowed) =>
        Of($"Raceway.Rings.BatchStage`2[{item},{handler}]:Invoke", allowed);

    private static string Plain(string item, string? handler = null) =>
        handler is null ? $"Raceway.Rings.PlainBatches`1[{item}]" : $"Raceway.Rings.PlainBatches`2[{item},{handler}]";

    private static HotMethod Loop(string name, params Allowance[] allowed) =>
        new($"Raceway.Codegen.PublishLoops:{name}", true, allowed);

    private static HotMethod Of(string name, params Allowance[] allowed) => new(name, false, allowed);
}
