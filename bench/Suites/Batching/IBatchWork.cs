namespace Raceway.Suites.Batching;

/// <summary>The real work of a case: it hashes, writes, stores or sends the jobs that it is given.</summary>
/// <remarks>
/// One object for each contestant. It is used by one thread at a time: <see cref="Begin"/>, then <see cref="Do"/> for all jobs of the
/// round in their order, then <see cref="Complete"/>, then <see cref="Verify"/>; the next round begins anew. How many jobs a call
/// has is what the suite varies. A call of one job does what a program without batches would do.
/// </remarks>
public interface IBatchWork : IDisposable
{
    /// <summary>Makes room for a round: nothing of an earlier one is left. Not timed.</summary>
    void Begin();

    /// <summary>Does it. When it returns, all jobs given are done: on disk, committed, handed to the socket.</summary>
    /// <param name="jobs">One or more; their indexes follow each other.</param>
    void Do(ReadOnlySpan<Job> jobs);

    /// <summary>Waits for what is still under way after the last call, such as a receiver at the other end. Timed.</summary>
    void Complete();

    /// <summary>Reads back what was done, and says whether it is all of it, unchanged and in order. Not timed.</summary>
    /// <param name="jobs">Jobs of the round, from index 0 on.</param>
    bool Verify(long jobs);

    /// <summary>What a round has besides its time, such as the ratio of a compression; read after <see cref="Verify"/>.</summary>
    IReadOnlyList<Raceway.Measuring.Count> Counts => [];
}
