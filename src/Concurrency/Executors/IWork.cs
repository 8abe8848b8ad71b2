namespace Raceway.Concurrency;

/// <summary>What a step of a piece of work has come to.</summary>
internal enum WorkStep
{
    /// <summary>It has ended, and must not be touched any more.</summary>
    Done,

    /// <summary>It was cancelled before it began, and must not be touched any more.</summary>
    Skipped,

    /// <summary>Its handler is suspended: <see cref="IWork.WhenReady"/> comes next, then another step.</summary>
    Suspended,

    /// <summary>The slice is over in the midst of it: another step goes on.</summary>
    Unfinished,
}

/// <summary>Something an executor has to do, in steps.</summary>
internal interface IWork
{
    /// <summary>Begins, or goes on.</summary>
    /// <param name="slice">The time there is.</param>
    /// <param name="caller">The continuation to run once the work has ended. The caller of <c>Step</c> runs it or queues it.</param>
    WorkStep Step(ref Slice slice, out Continuation caller);

    /// <summary>Has <paramref name="resume"/> called once when the suspended handler has ended, maybe before this returns.</summary>
    void WhenReady(Action resume);
}
