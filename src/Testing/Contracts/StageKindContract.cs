using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>What every kind of stage keeps: Raceway's own pass it, and one of yours must.</summary>
/// <example>
/// <code>
/// StageKindContract.Check(static handler => new Plain(handler));
///
/// internal sealed class Plain(SlotAction&lt;long> handler) : StageKind&lt;long>
/// {
///     public override Stage Attach(StageSite&lt;long> site) => site.Attach(handler);
/// }
/// </code>
/// </example>
public static class StageKindContract
{
    private const int Items = 2_000;

    /// <summary>Checks a kind that calls the action it is given once for each item.</summary>
    /// <param name="kindOf">Makes the kind around an action; asked anew for each pipeline.</param>
    /// <param name="limit">How long each part may take. Default: a minute; what takes longer counts as hanging.</param>
    /// <exception cref="ContractException">It breaks a rule; the message says which.</exception>
    public static void Check(Func<SlotAction<long>, StageKind<long>> kindOf, TimeSpan? limit = null)
    {
        ArgumentNullException.ThrowIfNull(kindOf);
        TimeSpan most = limit ?? TimeSpan.FromMinutes(1);
        foreach (Plan plan in new[] { Plan.SharedRing, Plan.Fused, Plan.RingPerStage, Plan.Pooled })
        {
            var guard = new Guard($"a kind of stage, {plan}", most);
            Run(guard, plan, "Every item must be handled once and in order.", kindOf, static (builder, kind) => builder.Stage("own", kind), static _ => true);
            Run(
                guard, plan, "Behind a filter only what it lets through must be handled.", kindOf,
                static (builder, kind) => builder.Filter("odd", static (ref readonly long item) => item % 2 == 1).Stage("own", kind),
                static item => item % 2 == 1);
            Run(
                guard, plan, "Beside another worker, both together must handle every item once.", kindOf,
                static (builder, kind) => builder.Workers("own", 2, _ => kind), static _ => true, inOrder: false);
            Fails(guard, plan, kindOf);
        }
    }

    private static void Run(
        Guard guard, Plan plan, string rule, Func<SlotAction<long>, StageKind<long>> kindOf,
        Func<PipelineBuilder<long, long>, StageKind<long>, PipelineBuilder<long, long>> add, Func<long, bool> isFor, bool inOrder = true)
    {
        int[] times = new int[Items];
        long last = -1;
        bool ordered = true;
        StageKind<long> kind = kindOf((ref long item) =>
        {
            Interlocked.Increment(ref times[item]);
            ordered &= item > last;
            last = item;
        });
        DrainResult result = Through(guard, rule, add(Pipeline.Of<long>(64), kind), plan);
        long wrong = Enumerable.Range(0, Items).FirstOrDefault(item => times[item] != (isFor(item) ? 1 : 0), -1);
        guard.That(
            result.IsDrained && wrong < 0 && (ordered || !inOrder), rule,
            () => $"{result}{(wrong < 0 ? "" : $", item {wrong} handled {times[wrong]} times")}, in order: {ordered}");
    }

    private static void Fails(Guard guard, Plan plan, Func<SlotAction<long>, StageKind<long>> kindOf)
    {
        const string Rule = "An item that fails must be the one that a policy skips, and every other be handled once.";
        var skipped = new List<long>();
        int[] times = new int[Items];
        StageKind<long> kind = kindOf((ref long item) =>
        {
            if (item % 100 == 7) throw new FormatException("a fault of the contract's own");
            times[item]++;
        });
        DrainResult result = Through(
            guard, Rule,
            Pipeline.Of<long>(64).Stage("own", kind, new() { OnFault = FaultPolicy.DeadLetter((ref long item, in FaultContext _) => skipped.Add(item)) }),
            plan);
        bool right = skipped.SequenceEqual(Enumerable.Range(0, Items).Where(static item => item % 100 == 7).Select(static item => (long)item));
        long wrong = Enumerable.Range(0, Items).FirstOrDefault(item => item % 100 != 7 && times[item] != 1, -1);
        guard.That(
            result.IsDrained && right && wrong < 0, Rule,
            () => $"{result}, {skipped.Count} passed over{(wrong < 0 ? "" : $", item {wrong} handled {times[wrong]} times")}");
    }

    private static DrainResult Through(Guard guard, string rule, PipelineBuilder<long, long> builder, Plan plan)
    {
        Pipeline<long> pipeline = builder.Configure(static options => options with { DrainTimeout = TimeSpan.Zero }).Run(plan);
        DrainResult? result = null;
        guard.Disposes("A disposal must end.", pipeline, () =>
        {
            SingleProducer<long> producer = pipeline.CreateProducer();
            guard.Ends(rule, () =>
            {
                for (long item = 0; item < Items; item++) producer.Publish(item);
            });
            result = guard.Ends(rule, pipeline.DrainAsync(Timeout.InfiniteTimeSpan));
        });
        return result!;
    }
}
