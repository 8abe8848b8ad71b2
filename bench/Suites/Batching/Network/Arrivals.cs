using System.Buffers.Binary;

namespace Raceway.Suites.Batching.Network;

/// <summary>The messages that have arrived at the other end: how many, their content, and whether each came at its place.</summary>
internal struct Arrivals
{
    private Fold _fold;
    private bool _isOutOfOrder;

    /// <summary>Messages taken.</summary>
    public readonly long Count => _fold.Count;

    /// <summary>Takes all messages that are there as a whole.</summary>
    /// <param name="bytes">As <see cref="FrameWriter"/> wrote them; the last one may be cut off.</param>
    /// <param name="isEnd">Whether a message without text came, which ends a round. What is behind it is not taken.</param>
    /// <returns>Bytes taken.</returns>
    /// <exception cref="InvalidDataException">A length that no message has.</exception>
    public int Take(ReadOnlySpan<byte> bytes, out bool isEnd)
    {
        isEnd = false;
        int taken = 0;
        while (!isEnd && bytes.Length - taken >= FrameWriter.Header)
        {
            int length = BinaryPrimitives.ReadInt32LittleEndian(bytes[taken..]);
            if (length is < 0 or > FrameWriter.LongestText)
                throw new InvalidDataException($"A text must have 0 to {FrameWriter.LongestText} bytes: length={length}.");
            if (bytes.Length - taken < FrameWriter.Header + length) break;
            if (length == 0) isEnd = true;
            else Take(BinaryPrimitives.ReadInt64LittleEndian(bytes[(taken + sizeof(int))..]), bytes.Slice(taken + FrameWriter.Header, length));
            taken += FrameWriter.Header + length;
        }

        return taken;
    }

    /// <summary>Whether it is the first messages of the corpus: all of them, unchanged, in order.</summary>
    public readonly bool IsAll(long jobs) => !_isOutOfOrder && _fold.IsSameAs(Fold.Of(Corpus.Lines, jobs));

    private void Take(long index, ReadOnlySpan<byte> text)
    {
        _isOutOfOrder |= index != _fold.Count;
        _fold.Take(text);
    }
}
