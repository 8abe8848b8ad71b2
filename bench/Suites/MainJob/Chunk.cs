namespace Raceway.Suites.MainJob;

/// <summary>A stretch of input bytes that many lines share.</summary>
/// <remarks>
/// The reader fills it, the stages read it, and the last stage gives it back when it moves on to the next chunk: lines
/// leave the pipeline in order, so that moment needs no count per line.
/// </remarks>
public sealed class Chunk
{
    private readonly ChunkPool? _owner;

    internal Chunk(byte[] buffer, ChunkPool? owner)
    {
        Buffer = buffer;
        _owner = owner;
    }

    /// <summary>The bytes. A line is a slice of them.</summary>
    public byte[] Buffer { get; }

    /// <summary>Gives the chunk back to its pool; none of its lines may be read any more. Does nothing where it has none.</summary>
    public void Release() => _owner?.Return(this);
}
