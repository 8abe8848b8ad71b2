using System.Runtime.ExceptionServices;
using Raceway.Interop.Journal.Reading;
using Raceway.Interop.Journal.Writing;
using Raceway.Rings;

namespace Raceway.Interop.Journal;

/// <summary>A replay that its caller drives: each call publishes as many stored items as there is room for.</summary>
/// <remarks><b>Threads</b>: one at a time. The producer is bound to none of them when a call has returned.</remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// JournalReplay&lt;Order> replay = journal.BeginReplay(producer);
/// while (replay.Left > 0)
/// {
///     if (replay.TryPublish() == 0) pipeline["book"].Step();
/// }
/// </code>
/// </example>
public sealed class JournalReplay<T>
{
    private const int AtATime = 256;

    private readonly StoredItems _items;
    private readonly Producer<T> _producer;
    private readonly IJournalCodec<T> _codec;
    private readonly JournalStage<T> _stage;
    private readonly long _count;
    private ExceptionDispatchInfo? _fault;

    internal JournalReplay(StoredItems items, Producer<T> producer, IJournalCodec<T> codec, JournalStage<T> stage, long count)
    {
        _items = items;
        _producer = producer;
        _codec = codec;
        _stage = stage;
        _count = count;
        Left = count;
        EndIfDone();
    }

    /// <summary>Items that are not published yet.</summary>
    public long Left { get; private set; }

    /// <summary>Publishes what there is room for, and returns without waiting.</summary>
    /// <returns>How many items; 0 if the ring is full, or nothing is left.</returns>
    /// <exception cref="JournalDamagedException">A stored item is not what was written. Any error at an item ends the replay: each
    /// later call throws it again.</exception>
    public int TryPublish()
    {
        int count = Next();
        if (count == 0) return 0;
        try
        {
            ClaimStatus status = _producer.TryClaim(count, out Claim<T> claim);
            if (status == ClaimStatus.Full) status = _producer.TryClaim(count = 1, out claim);
            if (status == ClaimStatus.Full) return 0;
            if (status != ClaimStatus.Done) throw _producer.Ring.Refusal();
            Publish(ref claim);
            return count;
        }
        finally
        {
            Leave();
        }
    }

    internal long Run(CancellationToken cancellation)
    {
        try
        {
            while (Next() is > 0 and int count)
            {
                Claim<T> claim = _producer.Claim(count, cancellation);
                Publish(ref claim);
            }
        }
        finally
        {
            Leave();
        }

        return _count;
    }

    // The thread that publishes new items may be another one than this.
    private void Leave() => _producer.TryReleaseThread();

    private int Next()
    {
        _fault?.Throw();
        return (int)Math.Min(Left, Math.Min(AtATime, _producer.MaxClaim));
    }

    private void Publish(ref Claim<T> claim)
    {
        try
        {
            for (int i = 0; i < claim.Count; i++)
            {
                if (!_items.TryRead(out ReadOnlySpan<byte> bytes)) throw new InvalidOperationException("There are as many items as were found.");
                _codec.Read(bytes, _items.Schema, ref claim[i]);
            }

            _stage.Replayed(claim.Sequence, claim.Count);
            Left -= claim.Count;
            claim.Commit();
        }
        catch (Exception fault)
        {
            // The item that could not be read would be left out by a call that went on.
            _fault = ExceptionDispatchInfo.Capture(fault);
            _items.Dispose();
            throw;
        }
        finally
        {
            claim.Dispose();
        }

        EndIfDone();
    }

    private void EndIfDone()
    {
        if (Left > 0) return;
        _stage.EndReplay();
        _items.Dispose();
    }
}
