using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>What one slot owns: its buffer, and for which sequence it is lent.</summary>
/// <remarks>
/// <para>An access looks at the entry and at the bytes, and not at the buffer's own object: that knows how many share the bytes, and most
/// are never shared. The entries of a ring lie in one array, 32 bytes each.</para>
/// <para>Mutable: use it where it lies, by reference (<see cref="PayloadEntries"/>).</para>
/// </remarks>
internal struct PayloadEntry()
{
    private const long NotLent = -1;

    private byte[]? _array; // of the buffer
    private long _lentTo = NotLent;
    private bool _mayBeShared; // since the buffer was last looked at
    private PayloadBuffer? _buffer;

    public int Length { get; private set; }

    public readonly ReadOnlyMemory<byte> Written => _array is { } array ? array.AsMemory(0, Length) : default;

    /// <summary>Whether <paramref name="sequence"/> still owns it: no gating stage must have passed it last.</summary>
    public bool IsLent(long sequence, Sequencer sequencer) =>
        Volatile.Read(ref _lentTo) == sequence && sequencer.ReleasedThrough() < sequence;

    /// <summary>
    /// The same rule for a write. What is not published has not been passed, so a producer looks at its own cursor first, and takes
    /// no line of a gate from its stage.
    /// </summary>
    public bool IsWritable(long sequence, Sequencer sequencer) =>
        (Volatile.Read(ref _lentTo) == sequence && sequencer.IsUnpublished(sequence)) || IsLent(sequence, sequencer);

    /// <summary>Lends it for <paramref name="sequence"/>, empty. Producer that owns the slot.</summary>
    public void Lend(long sequence)
    {
        // The sequence itself, where a claim given up by the only producer is made again.
        Debug.Assert(Volatile.Read(ref _lentTo) is var to && (to == NotLent || to == sequence), "A slot is swept before it is lent.");
        Length = 0;
        Volatile.Write(ref _lentTo, sequence);
    }

    public Span<byte> Reserve(int length, PayloadOptions options)
    {
        if (length < 0 || length > options.MaxLength) throw PayloadErrors.Payload(length, options.MaxLength);
        // Kept within this claim, or within one that was given up: what is kept stays as it is.
        if (_mayBeShared) Reclaim(options);
        if (length > 0 && (_array is null || _array.Length < length))
        {
            Release();
            byte[] array = options.Pool.Rent(length);
            (_buffer, _array) = (new PayloadBuffer(array, options), array);
        }

        Length = length;
        return _array is null ? default : _array.AsSpan(0, length);
    }

    public RetainedPayload Retain(long sequence, Sequencer sequencer)
    {
        PayloadBuffer? buffer = _buffer;
        int length = Length;
        Volatile.Write(ref _mayBeShared, true);
        if (buffer is not null && !buffer.TryShare()) throw PayloadErrors.PayloadReleased(sequence);
        // ORDER: marked and shared first (a full fence), then looked at again; pairs with the fence between Recall and Reclaim: a
        // sweep in between has seen the mark and the share, or we see that it is over.
        if (IsLent(sequence, sequencer)) return new RetainedPayload(buffer, length);
        buffer?.Drop();
        throw PayloadErrors.PayloadReleased(sequence);
    }

    /// <summary>Takes it back from its sequence.</summary>
    public void Recall() => Volatile.Write(ref _lentTo, NotLent);

    /// <summary>After <see cref="Recall"/> and a full fence: keeps the buffer where it is worth keeping.</summary>
    public void Reclaim(PayloadOptions options)
    {
        if (_array is null) return;
        bool shared = Volatile.Read(ref _mayBeShared);
        if (shared)
        {
            // A share that is taken from here on is too late, and given up again.
            Volatile.Write(ref _mayBeShared, false);
            shared = _buffer is { IsShared: true };
        }

        if (shared || _array.Length > options.KeepLength) Release();
    }

    /// <summary>Gives the slot's share of the buffer up.</summary>
    public void Release()
    {
        _array = null;
        // By two at once at the end of a ring: the thread that sweeps it, and a claim that was still open.
        Interlocked.Exchange(ref _buffer, null)?.Drop();
    }
}

/// <summary>A pooled array, shared by its slot and those that have retained it; goes back to the pool with the last of them.</summary>
internal sealed class PayloadBuffer(byte[] array, PayloadOptions options)
{
    private int _shares = 1;

    public byte[] Array { get; } = array;

    public bool IsShared => Volatile.Read(ref _shares) > 1;

    /// <summary>One share more; false where the last one is gone, and the array the pool's again.</summary>
    public bool TryShare()
    {
        int shares = Volatile.Read(ref _shares);
        while (shares > 0)
        {
            int seen = Interlocked.CompareExchange(ref _shares, shares + 1, shares);
            if (seen == shares) return true;
            shares = seen;
        }

        return false;
    }

    public void Drop()
    {
        int left = Interlocked.Decrement(ref _shares);
        Debug.Assert(left >= 0, "A share is given up once.");
        if (left == 0) options.Pool.Return(Array, options.ClearOnReturn);
    }
}

/// <summary>A payload kept beyond its slot's life. Give it back by disposing it, once.</summary>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Message>(256, new() { Payload = static (ref Message slot) => ref slot.Body });
/// List&lt;RetainedPayload> kept = [];
/// ring.Subscribe((ref Message message) => kept.Add(message.Body.Retain()));
/// ring.Start();
/// // Later, when other messages have the slots:
/// foreach (RetainedPayload body in kept)
/// {
///     stream.Write(body.Memory.Span);
///     body.Dispose();
/// }
/// </code>
/// </example>
public sealed class RetainedPayload : IDisposable
{
    private readonly int _length;
    private PayloadBuffer? _buffer;
    private int _disposed;

    internal RetainedPayload(PayloadBuffer? buffer, int length)
    {
        _buffer = buffer;
        _length = length;
    }

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">Given back already.</exception>
    public ReadOnlyMemory<byte> Memory
    {
        get
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
            return _buffer is null ? default : _buffer.Array.AsMemory(0, _length);
        }
    }

    /// <summary>Gives the buffer back.</summary>
    /// <exception cref="ObjectDisposedException">Given back already.</exception>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0) throw PayloadErrors.RetainedTwice();
        _buffer?.Drop();
        _buffer = null;
    }
}
