namespace Raceway.Proof.Tests.Faults;

/// <summary>A handler throws, under every policy, in every form that a handler has.</summary>
internal static class ItemFaults
{
    private static readonly Action<World, int> s_throws = static (world, _) => throw new FormatException();
    private static readonly Action<World, int> s_throwsOnce = static (world, attempt) =>
    {
        if (attempt == 1) throw new FormatException();
    };

    public static IEnumerable<Fault> All() =>
    [
        .. Of("handler throws", Form.Event),
        .. Of("batch handler throws, unmarked", Form.Batch),
        .. Of("batch handler throws, marked", Form.MarkedBatch),
        .. Of("async handler throws", Form.AsyncThrows),
        .. Of("async handler returns a faulted task", Form.AsyncFaulted),
        .. Of("async handler faults after an await", Form.AsyncLater),
        Make("batch handler throws after marking all, Stop", new Setting { Form = Form.WhollyMarkedBatch }, s_throws),
        Make(
            "batch handler throws after marking all, Skip",
            new Setting { Form = Form.WhollyMarkedBatch, Policy = static _ => FaultPolicy.Skip }, s_throws),
        Make(
            "batch handler throws after marking all, Retry",
            new Setting { Form = Form.WhollyMarkedBatch, Policy = static _ => FaultPolicy.Retry(1, TimeSpan.Zero) }, s_throws),
        Make("handler of a first stage throws, Stop", new Setting { Place = Place.First }, s_throws),
        Make(
            "handler of a first stage throws, Skip",
            new Setting { Place = Place.First, Policy = static _ => FaultPolicy.Skip }, s_throws),
        Make("handler of a second stage throws, Stop", new Setting { Place = Place.Second }, s_throws),
        Make(
            "handler of a second stage throws, Skip",
            new Setting { Place = Place.Second, Policy = static _ => FaultPolicy.Skip }, s_throws),
        Make(
            "handler of a side branch throws, Detach",
            new Setting { Place = Place.Branch, Policy = static _ => FaultPolicy.Detach }, s_throws),
        Make(
            "async handler of a side branch faults, Detach",
            new Setting { Place = Place.Branch, Form = Form.AsyncLater, Policy = static _ => FaultPolicy.Detach }, s_throws),
        Make("handler of the only stage throws, Detach", new Setting { Policy = static _ => FaultPolicy.Detach }, s_throws),
        Make(
            "handler of a stage that others follow throws, Detach",
            new Setting { Place = Place.First, Policy = static _ => FaultPolicy.Detach }, s_throws),
    ];

    /// <summary>The usual course: warm up, publish the batch with the target, let it happen.</summary>
    public static Fault Make(string name, Setting setting, Action<World, int> happens, IEnumerable<Cell>? cells = null)
    {
        // A batch of several stamps to a stage just waking may be seen in parts, and then fails in other counts.
        bool whole = setting.Form == Form.Event;
        return new Fault(name, (cells ?? Fault.Everywhere).Where(IsExact), cell => RunAsync(cell, setting with { Happens = happens }));

        bool IsExact(Cell cell) =>
            whole || cell is not { Kind: ProducerKind.Multi, Moment: Moment.RingEmpty, Driven: not Driven.Caller };
    }

    public static async Task<Seen> RunAsync(Cell cell, Setting setting)
    {
        var world = new World(cell, setting);
        await world.StartAsync();
        await world.WarmAsync();
        await world.PublishBatchAsync();
        return await world.FinishAsync();
    }

    private static IEnumerable<Fault> Of(string what, Form form)
    {
        yield return With("Stop", static _ => FaultPolicy.Stop, s_throws);
        yield return With("Skip", static _ => FaultPolicy.Skip, s_throws);
        yield return With("DeadLetter", static world => FaultPolicy.DeadLetter<Parcel>(
            (ref Parcel parcel, in FaultContext _) => world.Letters.Add(parcel.Id)), s_throws);
        yield return With("Retry, once is enough", static _ => FaultPolicy.Retry(2, TimeSpan.Zero), s_throwsOnce);
        yield return With("Retry with a pause", static _ => FaultPolicy.Retry(2, TimeSpan.FromTicks(1)), s_throwsOnce);
        yield return With("Retry, then Stop", static _ => FaultPolicy.Retry(2, TimeSpan.Zero), s_throws);
        yield return With("Retry, then Skip", static _ => FaultPolicy.Retry(2, TimeSpan.Zero, FaultPolicy.Skip), s_throws);
        yield return With("Decide: Stop", Deciding(FaultAction.Stop), s_throws);
        yield return With("Decide: Skip", Deciding(FaultAction.Skip), s_throws);
        yield return With("Decide: Retry", Deciding(FaultAction.Retry), s_throwsOnce);

        Fault With(string policy, Func<World, FaultPolicy> make, Action<World, int> happens) =>
            Make($"{what}, {policy}", new Setting { Form = form, Policy = make }, happens);

        static Func<World, FaultPolicy> Deciding(FaultAction action) =>
            _ => FaultPolicy.Decide<Parcel>((ref Parcel _, in FaultContext _) => action);
    }
}
