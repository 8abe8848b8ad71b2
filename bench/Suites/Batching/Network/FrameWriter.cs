using System.Buffers.Binary;

namespace Raceway.Suites.Batching.Network;

/// <summary>Writes the messages of a call behind each other: length, index, text.</summary>
internal static class FrameWriter
{
    /// <summary>Bytes before the text: its length, and the index.</summary>
    public const int Header = sizeof(int) + sizeof(long);

    /// <summary>The most bytes that a text may have.</summary>
    public const int LongestText = 1 << 16;

    /// <summary>Writes the messages of some jobs.</summary>
    /// <param name="jobs">The jobs.</param>
    /// <param name="buffer">Where to: it is replaced by a larger one if they do not fit.</param>
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<Job> jobs, ref byte[] buffer)
    {
        int length = 0;
        foreach (ref readonly Job job in jobs)
        {
            ReadOnlySpan<byte> text = Corpus.Lines[job.Index];
            if (buffer.Length < length + Header + text.Length) Array.Resize(ref buffer, 2 * (length + Header + text.Length));
            length += Write(job.Index, text, buffer.AsSpan(length));
        }

        return length;
    }

    /// <summary>Writes one message.</summary>
    /// <returns>Bytes written.</returns>
    public static int Write(long index, ReadOnlySpan<byte> text, Span<byte> into)
    {
        BinaryPrimitives.WriteInt32LittleEndian(into, text.Length);
        BinaryPrimitives.WriteInt64LittleEndian(into[sizeof(int)..], index);
        text.CopyTo(into[Header..]);
        return Header + text.Length;
    }
}
