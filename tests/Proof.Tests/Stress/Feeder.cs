namespace Raceway.Proof.Tests.Stress;

/// <summary>One producer of a run: publishes numbered items until it has enough, is told to stop, or is refused.</summary>
internal sealed class Feeder<T, TSlot>
    where TSlot : struct, ISlot<T>
{
    /// <summary>The most items of a claim.</summary>
    public const int MostAtOnce = 16;

    private const int LookEvery = 64;
    private const int StallEvery = 256;
    private const int AbortOneIn = 3;
    // However slow the machine, so many are published before a run is cut short.
    private const int AtLeast = 12;

    private readonly StressCase _run;
    private readonly Producer<T> _producer;
    private readonly int _id;
    private readonly Random _random;
    private readonly int _most;
    private readonly int _room;
    private readonly T[] _span;
    private readonly bool _ownsObjects; // the ring's slots: they are filled, never exchanged
    private CancellationTokenSource _cancel = new();
    private long _number;
    private long _steps;
    private bool _stop;

    public Feeder(RingBuffer<T> ring, StressCase run, int id, int seed)
    {
        _run = run;
        _id = id;
        _random = new Random(seed);
        _producer = run.Kind == ProducerKind.Multi ? ring.CreateMultiProducer() : ring.CreateProducer();
        _room = run.Kind == ProducerKind.Sharded ? ShardedClaims.LaneCapacity(run.Capacity, ring.Options) : run.Capacity;
        _most = Math.Clamp(Math.Min(_producer.MaxClaim, _room / 2), 1, MostAtOnce);
        _span = new T[_most];
        _ownsObjects = ring.Slots.OwnsObjects;
    }

    /// <summary>Items that the ring has accepted.</summary>
    public long Accepted => Volatile.Read(ref _number);

    public void Stop() => Volatile.Write(ref _stop, true);

    /// <summary>Ends the claim that waits now, if any. Any thread.</summary>
    public void CancelWait() => Volatile.Read(ref _cancel).Cancel();

    /// <summary>Publishes until <paramref name="enough"/> items are accepted.</summary>
    public void Run(long enough)
    {
        try
        {
            while (_number < enough && !(Volatile.Read(ref _stop) && _number >= AtLeast))
            {
                Step();
                if (++_steps % LookEvery == 0) CheckRemaining();
                if (_run.Extra == Extra.Stalls && _steps % StallEvery == 0) Stalls.Take(_random);
            }
        }
        catch (Exception refused) when (_run.Ends != Ends.Drain && refused is RingStoppedException or ObjectDisposedException)
        {
            // The end of the run: whatever was not accepted is nobody's loss.
        }
        finally
        {
            _producer.Dispose();
        }
    }

    private void Step()
    {
        Shape shape = _run.Shape;
        if (shape == Shape.Mixed)
        {
            shape = (Shape)_random.Next((int)Shape.Mixed);
            if (shape == Shape.Open && _producer is not SingleProducer<T>) shape = Shape.Publish;
            if (shape == Shape.Span && TSlot.HasBody) shape = Shape.Abort;
        }

        if (_ownsObjects && shape == Shape.Publish) shape = Shape.Writer;
        if (_ownsObjects && shape == Shape.Span) shape = Shape.Claim;

        switch (shape)
        {
            case Shape.Publish:
                Publish();
                break;
            case Shape.Writer:
                _producer.Publish(this, static (ref T slot, Feeder<T, TSlot> feeder) => feeder.Write(ref slot, feeder._number, -1));
                Accept(1);
                break;
            case Shape.Try:
                Try();
                break;
            case Shape.Claim:
                Claim();
                break;
            case Shape.Abort:
                Abort();
                break;
            case Shape.Span:
                Span();
                break;
            case Shape.Open:
                Open();
                break;
            case Shape.Room:
                Room();
                break;
            default:
                Cancel();
                break;
        }
    }

    private void Publish()
    {
        long key = Item.KeyOf(_id, _number);
        if (TSlot.HasBody)
        {
            Span<byte> bytes = stackalloc byte[Bodies.LengthOf(key)];
            Bodies.Fill(bytes, key);
            _producer.PublishPayload(bytes, key, static (ref T slot, long key) => TSlot.Of(ref slot).Fill(key, -1));
        }
        else
        {
            T item = TSlot.New();
            TSlot.Of(ref item).Fill(key, -1);
            _producer.Publish(in item);
        }

        Accept(1);
    }

    private void Try()
    {
        ClaimStatus status = _producer.TryPublish(
            this, static (ref T slot, Feeder<T, TSlot> feeder) => feeder.Write(ref slot, feeder._number, -1));
        if (status == ClaimStatus.Done) Accept(1);
        else if (status == ClaimStatus.Full) Thread.Yield();
        else throw _producer.Ring.Refusal();
    }

    private void Claim()
    {
        using Claim<T> claim = _producer.Claim(_random.Next(1, _most + 1));
        Fill(claim, claim.Count);
        claim.Commit();
        Accept(claim.Count);
    }

    // Some are given up, wholly or in part, by leaving or by saying so.
    private void Abort()
    {
        using Claim<T> claim = _producer.Claim(_random.Next(1, _most + 1));
        int kept = _random.Next(AbortOneIn) != 0 ? claim.Count : _random.Next(claim.Count + 1);
        for (int i = kept; i < claim.Count; i++) Spoil(ref claim[i]);
        Fill(claim, kept);
        if (kept == 0 && _random.Next(2) == 0) return;
        claim.Commit(kept);
        Accept(kept);
    }

    private void Span()
    {
        // Never more than one claim: of several the caller would not know how many were accepted.
        Span<T> some = _span.AsSpan(0, _random.Next(1, _most + 1));
        for (int i = 0; i < some.Length; i++)
        {
            some[i] = TSlot.New();
            TSlot.Of(ref some[i]).Fill(Item.KeyOf(_id, _number + i), -1);
        }

        _producer.Publish(some);
        Accept(some.Length);
    }

    private void Open()
    {
        using OpenProducer<T> open = ((SingleProducer<T>)_producer).Open();
        for (int i = _random.Next(1, 33); i > 0; i--)
        {
            Write(ref open.Claim(), _number, -1);
            open.Commit();
            Accept(1);
            if (_random.Next(4) != 0) continue;
            Batch<T> claim = open.Claim(_random.Next(1, _most + 1));
            int kept = _random.Next(claim.Count + 1);
            for (int k = 0; k < claim.Count; k++)
            {
                if (k < kept) Write(ref claim[k], _number + k, -1);
                else Spoil(ref claim[k]);
            }

            open.Commit(kept);
            Accept(kept);
        }
    }

    private void Room()
    {
        int count = _random.Next(1, _most + 1);
        if (!_producer.WaitForRoomAsync(count).AsTask().GetAwaiter().GetResult()) throw _producer.Ring.Refusal();
        ClaimStatus status = _producer.TryClaim(count, out Claim<T> claim);
        if (status == ClaimStatus.Full) throw new WrongException($"No room after waiting for it; {_run.Name}");
        if (status != ClaimStatus.Done) throw _producer.Ring.Refusal();
        using Claim<T> owned = claim;
        Fill(owned, owned.Count);
        owned.Commit();
        Accept(owned.Count);
    }

    // Cancelled by another thread at any moment, or out of time: then nothing may be owned.
    private void Cancel()
    {
        try
        {
            TimeSpan time = _random.Next(4) == 0 ? TimeSpan.FromMilliseconds(_random.Next(2)) : Timeout.InfiniteTimeSpan;
            ClaimStatus status = _producer.TryClaim(_random.Next(1, _most + 1), time, out Claim<T> claim, _cancel.Token);
            if (status == ClaimStatus.TimedOut) return;
            if (status != ClaimStatus.Done) throw _producer.Ring.Refusal();
            using Claim<T> owned = claim;
            Fill(owned, owned.Count);
            owned.Commit();
            Accept(owned.Count);
        }
        catch (OperationCanceledException)
        {
            // Another thread may hold the old one for a last Cancel, which without a timer needs no disposal.
            Volatile.Write(ref _cancel, new CancellationTokenSource());
        }
    }

    private void Fill(in Claim<T> claim, int kept)
    {
        // A lane's sequences are its own, and not those that stages see.
        long first = _run.Kind == ProducerKind.Sharded ? long.MinValue : claim.Sequence;
        for (int i = 0; i < kept; i++) Write(ref claim[i], _number + i, first < 0 ? -1 : first + i);
    }

    private void Accept(int count) => Volatile.Write(ref _number, _number + count);

    private void Write(ref T slot, long number, long claimed)
    {
        ref Item item = ref TSlot.Of(ref slot);
        CheckReleased(item);
        long key = Item.KeyOf(_id, number);
        item.Fill(key, claimed);
        if (TSlot.HasBody) Bodies.Write(ref TSlot.Body(ref slot), key);
    }

    private void Spoil(ref T slot)
    {
        ref Item item = ref TSlot.Of(ref slot);
        CheckReleased(item);
        item.Spoil();
    }

    // The slot's last item, where it is still there, must have been through every stage.
    private void CheckReleased(in Item item)
    {
        if (item.Check != Item.CheckOf(item.Key)) return;
        for (int stage = 0; stage < _run.Upstream.Length; stage++)
        {
            if (item.Passed[stage] != Item.MarkOf(item.Check, stage))
                throw Checker.Wrong("was to be overwritten", item, -1, stage, _run);
        }
    }

    private void CheckRemaining()
    {
        int remaining = _producer.Remaining;
        if (remaining < 0 || remaining > _room) throw new WrongException($"{remaining} remaining of {_room}; {_run.Name}");
    }
}
