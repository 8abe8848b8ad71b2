namespace Raceway.Proof.Tests.Faults;

/// <summary>When a fault strikes.</summary>
internal enum Moment
{
    FirstOfBatch,
    MiddleOfBatch,
    LastOfBatch,
    AtTheWrap,
    RingFull,
    RingEmpty,
    WhileDraining,
    WhileDisposing,
}

/// <summary>Who steps the stages.</summary>
internal enum Driven
{
    Caller,
    Thread,
    Pool,
}

/// <summary>One place of the table: a fault is tried for each producer kind, moment and driver that it can have.</summary>
internal readonly record struct Cell(ProducerKind Kind, Moment Moment, Driven Driven)
{
    public static IReadOnlyList<Moment> Moments { get; } = Enum.GetValues<Moment>();

    public static IReadOnlyList<ProducerKind> Kinds { get; } = Enum.GetValues<ProducerKind>();

    /// <summary>Whether the ring is being ended while the fault strikes, so that later publishes are refused anyway.</summary>
    public bool IsEnding => Moment is Moment.WhileDraining or Moment.WhileDisposing;

    public override string ToString() => $"{Kind}, {Moment}, {Driven}";
}

/// <summary>The slot type of these tests.</summary>
internal struct Parcel
{
    public long Id;
    public long Check;
    public Payload Body;

    public static ref Payload BodyOf(ref Parcel parcel) => ref parcel.Body;
}
