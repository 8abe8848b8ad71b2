using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>Which items are handled, tried again, passed over or handed on, given which of them fail how often: against a model.</summary>
public sealed class FaultPolicyPropertyTests
{
    private const int Always = 99;

    internal enum Kind
    {
        Event,
        Action,
        BatchOfOne,
        MarkedBatch,
        Batch,
    }

    /// <param name="Kind">How the handler is called.</param>
    /// <param name="Action">What is done; Retry: after the retries, <paramref name="Then"/>. −1: a decider is asked.</param>
    /// <param name="Retries">How many; 0 for none before the action.</param>
    /// <param name="Then">What the decider answers, one answer an attempt, over and over.</param>
    /// <param name="Followed">Whether another stage follows this one.</param>
    /// <param name="Fails">How often each item fails.</param>
    /// <param name="Quantum">Items a step.</param>
    internal sealed record Case(
        Kind Kind, int Action, int Retries, FaultAction[] Then, bool Followed, int[] Fails, int Quantum)
    {
        public override string ToString() =>
            $"{Kind}, {(Action < 0 ? $"decide [{string.Join(',', Then)}]" : (FaultAction)Action)} after {Retries} retries, "
            + $"{(Followed ? "" : "not ")}followed, quantum {Quantum}, fails [{string.Join(',', Fails)}]";

        /// <summary>What is done about an item's fault at its attempt.</summary>
        public FaultAction At(int attempt) =>
            Action < 0 ? Then[(attempt - 1) % Then.Length] : attempt <= Retries ? FaultAction.Retry : (FaultAction)Action;
    }

    private sealed class Expected
    {
        public List<long> Tried { get; } = [];

        public List<long> Handled { get; } = [];

        public List<long> Skipped { get; } = [];

        public int Retries { get; set; }

        public int Faults { get; set; }

        public FaultAction? End { get; set; }
    }

    private sealed class ItemFault : Exception;

    [Fact]
    public Task Items_AnyPlanOfFaults_FareAsTheModelSays() => Cases.Check(Cases.Count(2_000), Drawn, Shrink, Run);

    private static Gen<Case> Drawn { get; } =
        from kind in Gen.Elements(Enum.GetValues<Kind>())
        from action in Gen.Elements(-1, (int)FaultAction.Stop, (int)FaultAction.Skip, (int)FaultAction.Skip, (int)FaultAction.DeadLetter, (int)FaultAction.Detach)
        from retries in Gen.Choose(0, 3)
        from then in Gen.Elements(FaultAction.Skip, FaultAction.Retry, FaultAction.Skip, FaultAction.Stop, FaultAction.Detach).ArrayOf(3)
        from followed in Gen.Elements(false, true)
        from length in Gen.Choose(0, 12)
        from fails in Gen.Frequency((5, Gen.Constant(0)), (1, Gen.Constant(1)), (1, Gen.Constant(2)), (2, Gen.Constant(Always))).ArrayOf(length)
        from quantum in Gen.Elements(1, 2, 5, int.MaxValue)
        // A batch that fails is run again to find the item: there how often does not count, but whether.
        let isBatch = kind is Kind.Batch or Kind.MarkedBatch
        let plan = fails.Select(times => isBatch && times > 0 ? Always : times).ToArray()
        // An item that always fails must not be tried for ever.
        let answers = then.All(answer => answer == FaultAction.Retry) ? [FaultAction.Skip] : then
        select new Case(kind, action, action < 0 ? 0 : retries, answers, followed, plan, quantum);

    private static IEnumerable<Case> Shrink(Case one)
    {
        foreach (int[] fewer in Cases.Shorter(one.Fails)) yield return one with { Fails = fewer };
        if (one.Followed) yield return one with { Followed = false };
        if (one.Retries > 0) yield return one with { Retries = one.Retries - 1 };
    }

    private static Expected Model(Case one)
    {
        var expected = new Expected();
        for (int item = 0; item < one.Fails.Length && expected.End is null; item++)
        {
            for (int attempt = 1; ; attempt++)
            {
                expected.Tried.Add(item);
                if (attempt > one.Fails[item])
                {
                    expected.Handled.Add(item);
                    break;
                }

                expected.Faults++;
                FaultAction action = one.At(attempt);
                if (action == FaultAction.Retry)
                {
                    expected.Retries++;
                    continue;
                }

                if (action is FaultAction.Skip or FaultAction.DeadLetter) expected.Skipped.Add(item);
                // What others follow cannot leave: then the ring faults.
                else expected.End = action == FaultAction.Detach && one.Followed ? FaultAction.Stop : action;
                break;
            }
        }

        return expected;
    }

    private static int Run(Case one, Trace? trace)
    {
        Expected expected = Model(one);
        RingBuffer<long> ring = Make.Ring(16);
        int[] left = [.. one.Fails];
        List<long> tried = [], handled = [], letters = [], followed = [];
        Stage stage = Subscribe(ring, one, Make.Stepped(
            one.Kind == Kind.BatchOfOne ? Dispatch.Single : Dispatch.Batch(), PolicyOf(one, letters)), Try, handled.Add);
        Stage? follower = one.Followed ? ring.Subscribe((ref long item) => followed.Add(item), Make.Stepped(after: [stage])) : null;
        // The ring goes on with this one where the other is detached.
        Stage beside = ring.Subscribe(new Recorder(), Make.Stepped());
        Make.PublishRange(ring.CreateProducer(), 0, one.Fails.Length - 1);

        for (int steps = 0; stage.Step(one.Quantum).Kind == StepKind.Progressed; steps++) Assert.True(steps < 1_000, "It is tried for ever.");
        if (follower is not null) Make.StepAll(follower);
        int besides = Make.StepAll(beside);
        trace?.Add($"tried {string.Join(',', tried)}; handled {string.Join(',', handled)}; expected {string.Join(',', expected.Tried)}");
        Check(one, expected, ring, stage, tried, handled, letters);
        bool isFaulted = expected.End == FaultAction.Stop;
        Assert.Equal(isFaulted ? 0 : one.Fails.Length, besides);
        if (one.Followed && !isFaulted) Assert.Equal(Make.Range(0, one.Fails.Length - 1), followed);
        return 1 + tried.Count;

        void Try(long item)
        {
            tried.Add(item);
            if (left[item]-- > 0) throw new ItemFault();
        }
    }

    private static void Check(
        Case one, Expected expected, RingBuffer<long> ring, Stage stage, List<long> tried, List<long> handled, List<long> letters)
    {
        if (expected.End == FaultAction.Stop)
        {
            Assert.Equal(RingState.Faulted, ring.State);
            Assert.True(Task.WhenAny(ring.Completion).Wait(TimeSpan.FromMinutes(1)), Watchdog.Dump(ring));
        }
        else
        {
            Assert.Equal(RingState.Created, ring.State);
            Assert.Equal(expected.End == FaultAction.Detach, stage.Fault is ItemFault);
        }

        StageStatistics seen = stage.GetStatistics();
        if (one.Action == (int)FaultAction.DeadLetter) Assert.Equal(expected.Skipped, letters);
        Assert.Equal((expected.Skipped.Count, letters.Count), (seen.Skipped, seen.DeadLettered));
        if (one.Kind is Kind.Batch)
        {
            // Those before one that fails are handled again with their batch, unless the ring ends with it.
            if (expected.End is null) Assert.Equal(expected.Handled, handled.Distinct().Order());
            Assert.Equal(seen.Items + seen.Skipped, stage.Position + 1);
            return;
        }

        Assert.Equal(expected.Handled, handled);
        Assert.Equal(expected.Handled.Count, seen.Items);
        Assert.Equal(expected.Handled.Count + expected.Skipped.Count - 1, stage.Position);
        if (one.Kind == Kind.MarkedBatch) return;
        Assert.Equal(expected.Tried, tried);
        Assert.Equal((expected.Faults, expected.Retries), (seen.Faults, seen.Retries));
    }

    private static FaultPolicy PolicyOf(Case one, List<long> letters)
    {
        if (one.Action < 0) return FaultPolicy.Decide((ref long _, in FaultContext context) => one.At(context.Attempt));
        FaultPolicy then = (FaultAction)one.Action switch
        {
            FaultAction.Skip => FaultPolicy.Skip,
            FaultAction.Detach => FaultPolicy.Detach,
            FaultAction.DeadLetter => FaultPolicy.DeadLetter((ref long item, in FaultContext _) => letters.Add(item)),
            _ => FaultPolicy.Stop,
        };
        return one.Retries == 0 ? then : FaultPolicy.Retry(one.Retries, TimeSpan.Zero, then);
    }

    private static Stage Subscribe(RingBuffer<long> ring, Case one, StageOptions options, Action<long> attempt, Action<long> done)
    {
        return one.Kind switch
        {
            Kind.Event => ring.Subscribe(new EventLambda<long>((ref long item, long _, bool _) => Handle(item)), options),
            Kind.Action => ring.Subscribe((ref long item) => Handle(item), options),
            _ => ring.Subscribe(new BatchLambda<long>(OnBatch), options),
        };

        void OnBatch(Batch<long> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                Handle(batch[i]);
                if (one.Kind == Kind.MarkedBatch) batch.Complete(i + 1);
            }
        }

        void Handle(long item)
        {
            attempt(item);
            done(item);
        }
    }
}
