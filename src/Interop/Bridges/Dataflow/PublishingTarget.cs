using System.Threading.Tasks.Dataflow;

namespace Raceway.Interop;

/// <summary>A target that publishes what it accepts, and accepts only what it can publish.</summary>
/// <remarks>
/// One producer, so one at a time: offers take the gate, and while postponed messages are being consumed (which awaits) the
/// producer is theirs, and offers are postponed behind them. A message is consumed into a slot that has been claimed for it, as
/// it cannot be given back.
/// </remarks>
internal sealed class PublishingTarget<T>(Inlet<T> inlet, Task completion) : ITargetBlock<T>
{
    private readonly Lock _gate = new();
    private readonly List<Postponed> _postponed = [];
    private bool _declines;
    private bool _consuming;
    private Exception? _fault;

    public Task Completion => completion;

    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept)
    {
        if (!messageHeader.IsValid)
            throw new ArgumentException("An offer needs a valid header. Make it with an id other than 0.", nameof(messageHeader));
        if (source is null && consumeToAccept)
            throw new ArgumentException("An offer that is to be consumed needs its source: source=null.", nameof(consumeToAccept));
        lock (_gate)
        {
            if (_declines || inlet.Producer.Ring.IsClosed) return DataflowMessageStatus.DecliningPermanently;
            if (!_consuming)
            {
                if (!consumeToAccept && inlet.TryWrite(messageValue)) return DataflowMessageStatus.Accepted;
                if (consumeToAccept && TryConsumeNow(new Postponed(source!, messageHeader), out bool consumed))
                    return consumed ? DataflowMessageStatus.Accepted : DataflowMessageStatus.NotAvailable;
            }

            if (source is null) return DataflowMessageStatus.Declined;
            Postpone(new Postponed(source, messageHeader));
            BeginConsuming();
            return DataflowMessageStatus.Postponed;
        }
    }

    public void Complete() => End(null);

    public void Fault(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        End(exception);
    }

    public override string ToString() => $"target of a pipeline, {_postponed.Count} postponed";

    private void End(Exception? fault)
    {
        lock (_gate)
        {
            if (_declines) return;
            _declines = true;
            _fault = fault;
            // What is being consumed at this moment still goes in; then it is completed there.
            if (_consuming) return;
        }

        inlet.TryComplete(fault);
    }

    // A source has one message on offer: a later one stands for it. By itself, as what a lambda captures is allocated at every offer.
    private void Postpone(Postponed offer)
    {
        _postponed.RemoveAll(one => one.Source == offer.Source);
        _postponed.Add(offer);
    }

    // Back to where it was: no block has asked for it.
    private void PutBack(Postponed offer)
    {
        lock (_gate)
            if (!_postponed.Exists(one => one.Source == offer.Source)) _postponed.Insert(0, offer);
    }

    private bool TryConsume(Postponed offer, out bool consumed) => inlet.TryTake(
        (Offer: offer, Target: this),
        static (of, out value) =>
        {
            value = of.Offer.Source.ConsumeMessage(of.Offer.Header, of.Target, out bool consumed)!;
            return consumed;
        },
        out consumed);

    /// <summary>Consumes while it is offered, under the gate.</summary>
    private bool TryConsumeNow(Postponed offer, out bool consumed)
    {
        // What the source calls from within, on this thread, goes behind this one.
        _consuming = true;
        try
        {
            return TryConsume(offer, out consumed);
        }
        finally
        {
            _consuming = false;
            if (_declines || _postponed.Count > 0) BeginConsuming();
        }
    }

    /// <summary>Begins to consume what is postponed, under the gate.</summary>
    private void BeginConsuming()
    {
        if (_consuming) return;
        _consuming = true;
        _ = Task.Run(ConsumeAsync);
    }

    private async Task ConsumeAsync()
    {
        Exception? fault = null;
        try
        {
            while (await inlet.WaitToWriteAsync().ConfigureAwait(false))
            {
                // Outside of the gate: the source takes one of its own.
                if (Next() is not { } next) return;
                if (!TryConsume(next, out _)) PutBack(next);
            }
        }
        catch (Exception error)
        {
            // Of a source; or the pipeline takes no more, which its completion tells.
            fault = error;
        }

        EndConsuming(fault);
    }

    /// <summary>The next to be consumed; null where there is none, and consuming has ended.</summary>
    private Postponed? Next()
    {
        lock (_gate)
        {
            if (!_declines && _postponed.Count > 0)
            {
                Postponed next = _postponed[0];
                _postponed.RemoveAt(0);
                return next;
            }

            if (!_declines)
            {
                _consuming = false;
                return null;
            }
        }

        EndConsuming(null);
        return null;
    }

    private void EndConsuming(Exception? fault)
    {
        Postponed[] left;
        lock (_gate)
        {
            _declines = true;
            _consuming = false;
            _fault ??= fault;
            left = [.. _postponed];
            _postponed.Clear();
        }

        inlet.TryComplete(_fault);
        // To be asked again makes a source offer again, to be declined for good.
        foreach (Postponed one in left)
            if (one.Source.ReserveMessage(one.Header, this)) one.Source.ReleaseReservation(one.Header, this);
    }

    /// <summary>A message on offer that is to be consumed when there is room.</summary>
    private readonly record struct Postponed(ISourceBlock<T> Source, DataflowMessageHeader Header);
}
