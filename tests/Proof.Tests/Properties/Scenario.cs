using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>What is done to a ring. Which stage, producer and how many is drawn too, and taken modulo what there is.</summary>
internal enum Op
{
    TryPublish, Publish, PublishSpan, WriterThrows, TryClaim, TimedClaim, CancelledClaim, Commit, Abort, WaitForRoom,
    NewProducer, DisposeProducer, Open, OpenClaim, OpenClaimMany, OpenCommit, OpenCommitPart, OpenPublish, OpenDispose,
    Step, Attach, Detach, Look, Start, Fault, Complete, Halt, Drain, Dispose,
}

/// <summary>One command.</summary>
/// <param name="Op">What.</param>
/// <param name="Ring">On which ring, modulo their number.</param>
/// <param name="A">Which producer, stage or claim.</param>
/// <param name="B">How many, or how.</param>
internal readonly record struct Command(Op Op, int Ring, int A, int B);

/// <summary>How a ring is built.</summary>
internal sealed record Setting(ProducerKind Kind, StampLayout Stamps, int Capacity, int Producers, long Start, bool Checked);

/// <summary>Rings on one thread, and what is done to them.</summary>
internal sealed record Scenario(Setting[] Rings, Command[] Commands)
{
    private static readonly (Op Op, int Weight)[] s_weights =
    [
        (Op.TryPublish, 30), (Op.Publish, 12), (Op.PublishSpan, 8), (Op.WriterThrows, 3), (Op.TryClaim, 24), (Op.TimedClaim, 1),
        (Op.CancelledClaim, 2), (Op.Commit, 18), (Op.Abort, 6), (Op.WaitForRoom, 3), (Op.NewProducer, 4), (Op.DisposeProducer, 2),
        (Op.Open, 5), (Op.OpenClaim, 5), (Op.OpenClaimMany, 6), (Op.OpenCommit, 7), (Op.OpenCommitPart, 5), (Op.OpenPublish, 7),
        (Op.OpenDispose, 3), (Op.Step, 60), (Op.Attach, 8), (Op.Detach, 4), (Op.Look, 3), (Op.Start, 5), (Op.Fault, 1),
        (Op.Complete, 1), (Op.Halt, 1), (Op.Drain, 1), (Op.Dispose, 1),
    ];

    public override string ToString() => string.Join('\n', Rings.Select((ring, i) => $"ring {i}: {ring}"));

    public static Gen<Scenario> Of(ProducerKind kind) =>
        from rings in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, 4)))
        from settings in SettingOf(kind).ArrayOf(rings)
        from length in Gen.Choose(4, 60)
        from commands in Commanded.ArrayOf(length)
        select new Scenario(settings, commands);

    /// <summary>Fewer commands, fewer rings, smaller and plainer rings.</summary>
    public static IEnumerable<Scenario> Shrink(Scenario one)
    {
        foreach (Command[] fewer in Cases.Shorter(one.Commands)) yield return one with { Commands = fewer };
        if (one.Rings.Length > 1)
            foreach (Setting[] fewer in Cases.Shorter(one.Rings).Where(rings => rings.Length > 0)) yield return one with { Rings = fewer };
        for (int i = 0; i < one.Rings.Length; i++)
        {
            Setting ring = one.Rings[i];
            if (ring.Start != 0) yield return With(ring with { Start = 0 });
            if (ring.Stamps != StampLayout.Separate) yield return With(ring with { Stamps = StampLayout.Separate });
            if (ring.Producers > 1) yield return With(ring with { Producers = 1 });
            if (ring.Capacity / 2 >= Math.Max(2, 2 * ring.Producers)) yield return With(ring with { Capacity = ring.Capacity / 2 });

            Scenario With(Setting setting) => one with { Rings = [.. one.Rings[..i], setting, .. one.Rings[(i + 1)..]] };
        }
    }

    private static Gen<Command> Commanded { get; } =
        from op in Gen.Frequency(s_weights.Select(one => (one.Weight, Gen.Constant(one.Op))).ToArray())
        from ring in Gen.Choose(0, 11)
        from a in Gen.Choose(0, 59)
        from b in Gen.Choose(0, 59)
        select new Command(op, ring, a, b);

    private static Gen<Setting> SettingOf(ProducerKind kind) =>
        from shift in Gen.Choose(1, 4)
        let capacity = 1 << shift
        from stamps in Gen.Elements(Enum.GetValues<StampLayout>())
        from producers in Gen.Choose(1, kind == ProducerKind.Single ? 1 : Math.Max(1, Math.Min(4, capacity / 2)))
        from start in Gen.Elements(Starts(capacity, kind))
        from before in Gen.Choose(0, 2 * capacity)
        from check in Gen.Elements(false, false, true)
        select new Setting(
            kind, kind == ProducerKind.Sharded && stamps == StampLayout.InSlot ? StampLayout.Separate : stamps,
            capacity, producers, Math.Max(0, start - before), check);

    // A little before what the first sequences then go over. The last is as late as a ring may begin; sharded rings count
    // claims by lane, and so have no end of the order to run into.
    private static long[] Starts(int capacity, ProducerKind kind) =>
    [
        0, int.MaxValue, uint.MaxValue, (long)capacity << 30, (long)capacity << 31, (long)capacity << 32,
        kind == ProducerKind.Sharded ? long.MaxValue / 2 : long.MaxValue - 2L * capacity,
    ];
}
