namespace Raceway.Suites.Batching;

/// <summary>Work that computes a number for each message and writes nothing: the numbers are folded, and compared with those of another way.</summary>
internal abstract class FoldedWork : IBatchWork
{
    private Fold _fold;

    /// <summary>What each message of the corpus must give, computed by other code than the one that is measured.</summary>
    protected abstract ulong[] Expected { get; }

    /// <inheritdoc/>
    public void Begin() => _fold = default;

    /// <inheritdoc/>
    public abstract void Do(ReadOnlySpan<Job> jobs);

    /// <inheritdoc/>
    public void Complete()
    {
    }

    /// <inheritdoc/>
    public bool Verify(long jobs)
    {
        ulong[] expected = Expected;
        Fold fold = default;
        for (long i = 0; i < jobs; i++) fold.Take(expected[i % Corpus.Count]);
        return _fold.IsSameAs(fold);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }

    /// <summary>What the next message has given.</summary>
    protected void Take(ulong value) => _fold.Take(value);
}
