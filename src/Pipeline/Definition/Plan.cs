namespace Raceway.Pipelines;

/// <summary>How the stages of a pipeline are driven. One definition runs under each; the order of items at every stage is the
/// same, batch boundaries may differ.</summary>
public enum Plan
{
    /// <summary>A thread a stage, over one ring a segment. For stages that are worth a core.</summary>
    SharedRing,

    /// <summary>All stages of a segment one after another over each batch, on one thread, which waits as the first of them
    /// says. For small stages, or few cores. At most 32 KiB of slots go through at a time, 256 items at least and 4,096 at most:
    /// larger batches are cut to that, but for a stage's minimum and what an async handler may be given.</summary>
    Fused,

    /// <summary>By no thread of ours: the caller steps the stages (<see cref="Rings.ManualDriver"/>, or a loop of its own).</summary>
    Manual,

    /// <summary>A thread a stage, and a ring of its own behind each stage that all others of its segment come before or
    /// after: a slow stage holds back what is in its own ring only. For stages with times that vary.</summary>
    RingPerStage,

    /// <summary>Activations on the thread pool: no stage holds a thread while it has nothing to do, and none holds one for much
    /// longer than a slice of time. For many pipelines beside other work of the pool.</summary>
    Pooled,

    /// <summary>The default: the thread pool steps all stages of a segment one after another over each batch, or each stage by itself,
    /// whichever is faster (always the latter where a stage awaits). Batches grow where a call takes long. No stage holds a thread while
    /// it has nothing to do. A definition that tells a stage how to wait, or where to run, gets a thread a stage:
    /// <see cref="SharedRing"/>. <see cref="Pipeline{T}.PlanReason"/> says what it came to.</summary>
    Auto,
}
