namespace Raceway.Rings;

/// <summary>How a ring with several producers knows which sequences are published, in place of a cursor's value.</summary>
internal abstract class Ingress
{
    /// <summary>Whether <paramref name="sequence"/> is published (acquire).</summary>
    public abstract bool IsPublished(long sequence);

    /// <summary>The last sequence readable in one run from <paramref name="from"/>, or from − 1 (acquire).</summary>
    public abstract long ReadableEnd(long from);

    /// <summary>The last sequence from <paramref name="from"/> on up to which each is published or given up, or from − 1.</summary>
    public abstract long PublishedThrough(long from);
}
