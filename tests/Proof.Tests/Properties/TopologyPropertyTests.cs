using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>Random graphs of up to twelve stages: each sees everything, in order, after what it follows; and every leaf gates.</summary>
public sealed class TopologyPropertyTests
{
    private const int MostStages = 12;

    /// <summary>Stage i follows those of the ones before it whose bit is set. A turn below 0 publishes.</summary>
    internal sealed record Topology(ProducerKind Kind, int Capacity, bool Started, int[] Upstream, (int Stage, int Quantum)[] Turns)
    {
        public override string ToString() =>
            $"{Kind}, capacity {Capacity}, {(Started ? "" : "not ")}started: "
            + string.Join("; ", Upstream.Select((_, stage) => $"{stage} after [{string.Join(',', After(stage))}]"));

        public IEnumerable<int> After(int stage) => Enumerable.Range(0, stage).Where(other => (Upstream[stage] >> other & 1) != 0);
    }

    [Fact]
    public Task Stages_AnyGraph_SeeAllInOrderAfterTheirUpstream() => Cases.Check(Cases.Count(4_000), Drawn, Shrink, Run);

    private static Gen<Topology> Drawn { get; } =
        from kind in Gen.Elements(Enum.GetValues<ProducerKind>())
        from shift in Gen.Choose(1, 4)
        from started in Gen.Elements(false, true)
        from stages in Gen.Choose(1, MostStages)
        // Few bits make chains and fans, many make joins.
        from one in Gen.Choose(0, int.MaxValue).ArrayOf(stages)
        from other in Gen.Choose(0, int.MaxValue).ArrayOf(stages)
        from turns in Gen.Choose(1, 120)
        from steps in Gen.Choose(-stages, stages - 1).Zip(Gen.Choose(1, 9), (stage, quantum) => (stage, quantum)).ArrayOf(turns)
        select new Topology(kind, 1 << shift, started, [.. one.Select((bits, i) => bits & other[i])], steps);

    private static IEnumerable<Topology> Shrink(Topology one)
    {
        foreach ((int, int)[] fewer in Cases.Shorter(one.Turns)) yield return one with { Turns = fewer };
        if (one.Upstream.Length > 1) yield return one with { Upstream = one.Upstream[..^1] };
        for (int i = 0; i < one.Upstream.Length; i++)
            if (one.Upstream[i] != 0) yield return one with { Upstream = [.. one.Upstream[..i], 0, .. one.Upstream[(i + 1)..]] };
    }

    private static int Run(Topology one, Trace? trace)
    {
        RingBuffer<long> ring = Make.Ring(one.Capacity, one.Kind, maxProducers: 1);
        if (one.Started) ring.Start();
        List<Stage> stages = [];
        List<List<long>> seen = [];
        for (int i = 0; i < one.Upstream.Length; i++) Attach(ring, one, stages, seen);
        HashSet<int> followed = [.. Enumerable.Range(0, stages.Count).SelectMany(one.After)];
        Stage[] leaves = [.. stages.Where((_, i) => !followed.Contains(i))];
        Producer<long> producer = Make.Producer(ring);
        long published = 0;
        foreach ((int which, int quantum) in one.Turns)
        {
            if (which < 0)
            {
                long room = one.Capacity - (published - 1 - leaves.Min(leaf => leaf.Position));
                ClaimStatus status = producer.TryPublish(published);
                trace?.Add($"publish {published}: {status}");
                Assert.Equal(room > 0 ? ClaimStatus.Done : ClaimStatus.Full, status);
                if (status == ClaimStatus.Done) published++;
                continue;
            }

            Stage stage = stages[which % stages.Count];
            long before = stage.Position;
            long there = stage.Upstream.Count == 0 ? published - 1 : stage.Upstream.Min(other => other.Position);
            StepResult result = stage.Step(quantum);
            trace?.Add($"{stage.Name}: step {quantum}: {result.Kind} {result.Count}");
            // What is there is found, and nothing else.
            Assert.Equal(there > before ? StepKind.Progressed : StepKind.Idle, result.Kind);
            Assert.Equal(before + result.Count, stage.Position);
            Assert.InRange(result.Count, there > before ? 1 : 0, Math.Min(quantum, there - before));
        }

        foreach (Stage stage in stages) Make.StepAll(stage);
        Assert.All(seen, items => Assert.Equal(Make.Range(0, published - 1), items));
        return one.Turns.Length;
    }

    private static void Attach(RingBuffer<long> ring, Topology one, List<Stage> stages, List<List<long>> seen)
    {
        int self = stages.Count;
        List<long> items = [];
        List<long>[] before = [.. one.After(self).Select(other => seen[other])];
        StageOptions options = Make.Stepped(
            self % 3 == 0 ? Dispatch.Single : Dispatch.Batch(1 + self), after: [.. one.After(self).Select(other => stages[other])]);
        seen.Add(items);
        stages.Add(self % 2 == 0
            ? ring.Subscribe(new BatchLambda<long>(batch =>
            {
                foreach (ref long item in batch) See(item);
            }), options)
            : ring.Subscribe((ref long item) => See(item), options));

        void See(long item)
        {
            items.Add(item);
            foreach (List<long> earlier in before) Assert.True(earlier.Count >= items.Count, $"{self} is ahead.");
        }
    }
}
