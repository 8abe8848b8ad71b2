namespace Raceway.Pipelines;

/// <summary>Who drives the stages of a pipeline. One definition runs under each; the order of items at every stage is the
/// same, batch boundaries may differ.</summary>
public enum Plan
{
    /// <summary>A thread a stage, over one ring. For stages that are worth a core.</summary>
    SharedRing,

    /// <summary>All stages one after another over each batch, on one thread, which waits as the first stage says.
    /// For small stages, or few cores.</summary>
    Fused,

    /// <summary>Nobody: the caller steps the stages (<see cref="Rings.ManualDriver"/>, or a loop of its own).</summary>
    Manual,
}
