using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Goes through the ways, and makes the first that differs as small as it can be.</summary>
internal sealed class InvarianceSearch<T>(T[] items, Func<Way, IReadOnlyList<T>, Outcome> run, InvarianceOptions options)
{
    private const int MostVisits = 64;
    private const int MostShrinkingRuns = 2_000;

    private const string CutRule = "The result must not depend on how the items are cut into batches.";
    private const string FaultRule = "A fault that a retry mends must not change the result.";
    private const string OrderRule = "The result must not depend on when each stage runs.";
    private const string PlanRule = "The result must not depend on the plan.";

    private int _runs;

    private T[] Short => items[..Math.Min(items.Length, options.CutLength)];

    public InvarianceReport Run()
    {
        CheckReference();
        int cuts = Counted(CheckCuts);
        int faults = options.Faults ? Counted(CheckFaults) : 0;
        int seeds = Counted(CheckSeeds);
        return new InvarianceReport(cuts, faults, seeds, Counted(CheckPlans));
    }

    private Outcome Run(Way way, T[] some)
    {
        _runs++;
        return run(way, some);
    }

    private int Counted(Action check)
    {
        int before = _runs;
        check();
        return _runs - before;
    }

    private void CheckReference()
    {
        Outcome first = Run(Way.OneByOne, items);
        if (first.Problem is not null)
            throw Failure(new Finding("Each item must be handled, one by one.", Way.OneByOne, items, first, null), "Mend this before anything else is looked at.");
        Outcome second = Run(Way.OneByOne, items);
        if (second.IsSameAs(first)) return;
        throw Failure(
            new Finding("The same run must give the same result twice.", Way.OneByOne, items, second, first),
            "Make handlers, fakes and lists anew in each run, keep nothing in static fields, and take the time from the trial.");
    }

    private void CheckCuts()
    {
        for (int length = 1; length <= Short.Length; length++)
        {
            if (SmallestCut(items[..length]) is not { } found) continue;
            throw Failure(
                Shrunk(found, SmallestCut),
                "Carry in fields what goes from batch to batch, do for each item what belongs to it, and take all of a batch: where it goes round "
                + "the end of the ring, the rest is in batch.Second.");
        }

        Dispatch[] dispatches = [Dispatch.Single, Dispatch.Each(), Dispatch.Batch(), Dispatch.Batch(max: 2), Dispatch.Batch(max: 3), Dispatch.Batch(max: 5)];
        foreach (Dispatch dispatch in dispatches)
            CheckWay(CutRule, new Way { Name = $"dispatch {dispatch}", Dispatch = dispatch, Crowds = true, ChecksSlots = true });
    }

    private void CheckFaults()
    {
        T[] few = Short;
        int half = few.Length / 2;
        IReadOnlyList<int>[] cuts = half == 0 ? [[few.Length]] : [[few.Length], [half, few.Length - half], [.. Enumerable.Repeat(1, few.Length)]];
        foreach (IReadOnlyList<int> cut in cuts)
        {
            if (FirstFault(few, cut) is not { } found) continue;
            throw Failure(
                Shrunk(found, SmallestFault),
                "Do all of a call or nothing, mark what is done (Complete), and change fields only behind what can fail.");
        }
    }

    private void CheckSeeds()
    {
        for (int seed = 0; seed < options.Seeds; seed++)
            CheckWay(OrderRule, new Way { Name = $"stages stepped by seed {seed}", Seed = seed, MostPerStep = 4, Capacity = seed % 2 == 0 ? 8 : 64, ChecksSlots = seed == 0 });
    }

    private void CheckPlans()
    {
        foreach (Plan plan in options.Plans)
        {
            foreach (Dispatch? dispatch in new[] { null, Dispatch.Single, Dispatch.Each(), Dispatch.Batch(max: 3) })
                CheckWay(PlanRule, new Way { Name = $"plan {plan}, {dispatch?.ToString() ?? "dispatch as defined"}", Plan = plan, Dispatch = dispatch });
        }
    }

    private void CheckWay(string rule, Way way)
    {
        if (Differs(rule, way, items) is { } found) throw Failure(Shrunk(found, fewer => Differs(rule, way, fewer)), null);
    }

    /// <summary>The finding, if the way gives another result for these items than one by one.</summary>
    private Finding? Differs(string rule, Way way, T[] some, Outcome? expected = null)
    {
        expected ??= Run(Way.OneByOne, some);
        if (expected.Problem is not null) return null;
        Outcome outcome = Run(way, some);
        return outcome.IsSameAs(expected) ? null : new Finding(rule, way, some, outcome, expected);
    }

    private Finding? SmallestCut(T[] some)
    {
        if (some.Length > options.CutLength) return null;
        Outcome expected = Run(Way.OneByOne, some);
        return Cuts.Of(some.Length).Select(cut => Differs(CutRule, Way.OfCut(cut), some, expected)).FirstOrDefault(static found => found is not null);
    }

    private Finding? SmallestFault(T[] some) =>
        Cuts.Of(some.Length).Select(cut => FirstFault(some, cut)).FirstOrDefault(static found => found is not null);

    private Finding? FirstFault(T[] some, IReadOnlyList<int> cut)
    {
        Outcome expected = Run(Way.OneByOne, some);
        int visits = Math.Min(MostVisits, Run(Way.OfCut(cut), some).Visits);
        return Enumerable.Range(0, visits).Select(visit => Differs(FaultRule, Way.OfCut(cut, visit), some, expected))
            .FirstOrDefault(static found => found is not null);
    }

    // Leaves items out as long as the rest still shows it: many at a time first, then one by one.
    private Finding Shrunk(Finding found, Func<T[], Finding?> look)
    {
        int most = _runs + MostShrinkingRuns;
        for (int size = Math.Max(1, found.Items.Length / 2); ; size = Math.Max(1, size / 2))
        {
            bool smaller = false;
            for (int end = found.Items.Length; end > 0 && found.Items.Length > 1 && _runs < most; end -= size)
            {
                int start = Math.Max(0, end - size);
                T[] fewer = [.. found.Items[..start], .. found.Items[Math.Min(end, found.Items.Length)..]];
                if (fewer.Length == 0 || look(fewer) is not { } still) continue;
                (found, smaller) = (still, true);
            }

            if (_runs >= most || (size == 1 && !smaller)) return found;
        }
    }

    private InvarianceException Failure(Finding found, string? remedy)
    {
        string batches = found.Way.Cut is { } cut ? $" in batches {Cuts.Text(cut)}" : "";
        string expected = found.Expected is null ? "" : $"; one by one it {found.Expected}";
        return new InvarianceException(
            found.Rule, $"{Count(found.Items.Length)} {ResultText.Of(found.Items)}{batches} {found.Outcome}{expected}", $"{found.Way.Name}, the smallest of {_runs} runs",
            remedy, found.Items.Length, found.Way.Cut ?? [], found.Outcome.Problem);
    }

    private static string Count(int items) => items == 1 ? "1 item" : $"{items} items";

    private sealed record Finding(string Rule, Way Way, T[] Items, Outcome Outcome, Outcome? Expected);
}
