using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace Raceway.Interop;

/// <summary>Where frames begin and end in a stream of bytes.</summary>
/// <remarks>
/// <para><b>Threads</b>: any. <b>Cost</b>: nothing allocated a frame.</para>
/// <para><b>Errors</b>: a frame above the maximum is refused before it is collected: no more than that is ever buffered for
/// one.</para>
/// </remarks>
public abstract class Framing
{
    /// <summary>The maximum where nothing else is said: 64 KiB, that of a payload.</summary>
    public const int DefaultMaxLength = 64 * 1024;

    private protected Framing(int maxLength)
    {
        if (maxLength < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(maxLength), maxLength, $"A frame's maximum must be 1 byte or more: maxLength={maxLength}. Use what a slot can take.");
        }

        MaxLength = maxLength;
    }

    /// <summary>The most bytes of a frame, without what frames it.</summary>
    public int MaxLength { get; }

    /// <summary>A frame ends at a line feed; a carriage return before that is cut off. What the stream ends in is a frame too,
    /// unless it is empty.</summary>
    /// <param name="maxLength">The most bytes of a line. Default: 64 KiB.</param>
    public static Framing Newline(int maxLength = DefaultMaxLength) => new Lines(maxLength);

    /// <summary>A frame follows its length: four bytes, the highest first.</summary>
    /// <param name="maxLength">The most bytes of a frame. Default: 64 KiB.</param>
    public static Framing LengthPrefixed(int maxLength = DefaultMaxLength) => new Prefixed(maxLength);

    /// <summary>Cuts the next frame off <paramref name="bytes"/>; false where it is not all there.</summary>
    /// <param name="bytes">What there is.</param>
    /// <param name="isLast">Nothing comes behind it.</param>
    /// <param name="frame">The frame, without what frames it.</param>
    /// <exception cref="InvalidDataException">It is longer than the maximum, or cut short by the end.</exception>
    internal abstract bool TryRead(ref ReadOnlySequence<byte> bytes, bool isLast, out ReadOnlySequence<byte> frame);

    /// <summary>Writes <paramref name="frame"/>; checked first, so that a frame is written whole or not at all.</summary>
    /// <exception cref="InvalidDataException">It is longer than the maximum, or has what ends a frame in it.</exception>
    internal abstract void Write(IBufferWriter<byte> target, ReadOnlySpan<byte> frame);

    private protected void Check(long length)
    {
        if (length > MaxLength) ThrowTooLong(length);
    }

    [DoesNotReturn]
    private void ThrowTooLong(long length) => throw new InvalidDataException(
        $"A frame must be {MaxLength} bytes or less: length={length} or more. Raise maxLength, and the ring's payload maximum with it.");

    private sealed class Lines(int maxLength) : Framing(maxLength)
    {
        public override string ToString() => $"newline, {MaxLength} bytes at most";

        internal override bool TryRead(ref ReadOnlySequence<byte> bytes, bool isLast, out ReadOnlySequence<byte> frame)
        {
            if (bytes.PositionOf((byte)'\n') is { } end)
            {
                frame = WithoutReturn(bytes.Slice(0, end));
                Check(frame.Length);
                bytes = bytes.Slice(bytes.GetPosition(1, end));
                return true;
            }

            // One byte more than that may still be a carriage return.
            if (bytes.Length > MaxLength + 1L) Check(bytes.Length);
            frame = isLast ? WithoutReturn(bytes) : default;
            if (!isLast || bytes.IsEmpty) return false;
            Check(frame.Length);
            bytes = bytes.Slice(bytes.End);
            return true;
        }

        internal override void Write(IBufferWriter<byte> target, ReadOnlySpan<byte> frame)
        {
            Check(frame.Length);
            int feed = frame.IndexOf((byte)'\n');
            if (feed >= 0)
            {
                throw new InvalidDataException(
                    $"A frame that ends at a line feed must have none inside: at={feed}, length={frame.Length}. Use Framing.LengthPrefixed.");
            }

            Span<byte> to = target.GetSpan(frame.Length + 1);
            frame.CopyTo(to);
            to[frame.Length] = (byte)'\n';
            target.Advance(frame.Length + 1);
        }

        private static ReadOnlySequence<byte> WithoutReturn(ReadOnlySequence<byte> line)
        {
            if (line.IsEmpty) return line;
            ReadOnlySequence<byte> last = line.Slice(line.Length - 1);
            return last.FirstSpan[0] == (byte)'\r' ? line.Slice(0, line.Length - 1) : line;
        }
    }

    private sealed class Prefixed(int maxLength) : Framing(maxLength)
    {
        private const int Prefix = sizeof(uint);

        public override string ToString() => $"length-prefixed, {MaxLength} bytes at most";

        internal override bool TryRead(ref ReadOnlySequence<byte> bytes, bool isLast, out ReadOnlySequence<byte> frame)
        {
            frame = default;
            if (bytes.Length >= Prefix)
            {
                Span<byte> prefix = stackalloc byte[Prefix];
                bytes.Slice(0, Prefix).CopyTo(prefix);
                uint length = BinaryPrimitives.ReadUInt32BigEndian(prefix);
                Check(length);
                if (bytes.Length >= Prefix + length)
                {
                    frame = bytes.Slice(Prefix, length);
                    bytes = bytes.Slice(frame.End);
                    return true;
                }
            }

            if (isLast && !bytes.IsEmpty)
            {
                throw new InvalidDataException(
                    $"The stream must end where a frame does: left={bytes.Length} bytes of one. Its sender has stopped in the middle.");
            }

            return false;
        }

        internal override void Write(IBufferWriter<byte> target, ReadOnlySpan<byte> frame)
        {
            Check(frame.Length);
            Span<byte> to = target.GetSpan(Prefix + frame.Length);
            BinaryPrimitives.WriteUInt32BigEndian(to, (uint)frame.Length);
            frame.CopyTo(to[Prefix..]);
            target.Advance(Prefix + frame.Length);
        }
    }
}
