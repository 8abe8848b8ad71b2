using System.Buffers.Binary;
using System.IO.Compression;
using Raceway.Measuring;

namespace Raceway.Suites.Batching.Compress;

/// <summary>Brotli over the messages of a call: one frame for all of them, so that what they have in common is written once.</summary>
/// <remarks>A frame is its length, the length of what was compressed, and Brotli's bytes. In it, each message has its length before it.</remarks>
internal sealed class CompressWork : IBatchWork
{
    // Fast, as one would have it in a stage; a window that holds a whole batch.
    private const int Quality = 1;
    private const int Window = 18;
    private const int Header = 8;
    private const int Prefix = 4;

    private byte[] _plain = new byte[1 << 10];
    private byte[] _frames = new byte[1 << 16];
    private int _used;
    private long _taken;
    private double _ratio;

    public IReadOnlyList<Count> Counts => [new("ratio", "plain/compressed", _ratio)];

    public void Begin()
    {
        _used = 0;
        _taken = 0;
    }

    public void Do(ReadOnlySpan<Job> jobs)
    {
        int length = 0;
        foreach (ref readonly Job job in jobs)
        {
            ReadOnlySpan<byte> message = Corpus.Lines[job.Index];
            if (_plain.Length < length + Prefix + message.Length) Array.Resize(ref _plain, 2 * (length + Prefix + message.Length));
            BinaryPrimitives.WriteInt32LittleEndian(_plain.AsSpan(length), message.Length);
            message.CopyTo(_plain.AsSpan(length + Prefix));
            length += Prefix + message.Length;
        }

        int most = BrotliEncoder.GetMaxCompressedLength(length);
        if (_frames.Length < _used + Header + most) Array.Resize(ref _frames, 2 * (_used + Header + most));
        if (!BrotliEncoder.TryCompress(_plain.AsSpan(0, length), _frames.AsSpan(_used + Header), out int written, Quality, Window))
            throw new InvalidOperationException($"Brotli did not compress {length} bytes into room for {most}.");
        BinaryPrimitives.WriteInt32LittleEndian(_frames.AsSpan(_used), written);
        BinaryPrimitives.WriteInt32LittleEndian(_frames.AsSpan(_used + 4), length);
        _used += Header + written;
        _taken += length;
    }

    public void Complete()
    {
    }

    public bool Verify(long jobs)
    {
        _ratio = _used == 0 ? 0 : (double)_taken / _used;
        Fold fold = default;
        byte[] plain = [];
        for (int at = 0; at < _used;)
        {
            int written = BinaryPrimitives.ReadInt32LittleEndian(_frames.AsSpan(at));
            int length = BinaryPrimitives.ReadInt32LittleEndian(_frames.AsSpan(at + 4));
            if (plain.Length < length) plain = new byte[length];
            if (!BrotliDecoder.TryDecompress(_frames.AsSpan(at + Header, written), plain, out int got) || got != length) return false;
            for (int from = 0; from < length;)
            {
                int size = BinaryPrimitives.ReadInt32LittleEndian(plain.AsSpan(from));
                fold.Take(plain.AsSpan(from + Prefix, size));
                from += Prefix + size;
            }

            at += Header + written;
        }

        return fold.IsSameAs(Fold.Of(Corpus.Lines, jobs));
    }

    public void Dispose()
    {
    }
}
