namespace Raceway.Interop.Distributed;

/// <content>Which items are this worker's still, and the tokens by which a sink keeps others out.</content>
public sealed partial class LinkSource<T>
{
    /// <summary>Whether an item is this worker's to handle, with its fencing token: to be asked before it is written.</summary>
    /// <remarks>
    /// <para>A worker that was paused, or cut off, may go on after another worker has its partitions. False: the broker may have
    /// given the item to another worker, or its session has ended. Leave the item out then; it is not acknowledged, and comes
    /// again, here or elsewhere.</para>
    /// <para>True is no promise: the pause may come behind the call. So the sink must compare and set: it keeps the highest
    /// <see cref="OwnedItem.Term"/> of each partition, and refuses what has a lower one, in one step with the write. If it
    /// refuses, call <see cref="Disown"/>.</para>
    /// <para><b>Threads</b>: the stage's. <b>Cost</b>: a lock and a clock; <see cref="OwnedItem.Following"/> says for how many
    /// items behind it the answer is the same.</para>
    /// </remarks>
    /// <param name="sequence">The slot's sequence, in the batch that the stage is handling.</param>
    /// <param name="item">The item.</param>
    /// <exception cref="InvalidOperationException"><see cref="LinkOptions.Fencing"/> is not set.</exception>
    public bool TryOwn(long sequence, out OwnedItem item)
    {
        if (!_options.Fencing) throw LinkErrors.NoFencing(_link.Name);
        long session;
        lock (_gate)
        {
            bool isHere = _placed.TryLocate(
                sequence, out LinkPosition position, out int following, out session, out long term);
            item = new OwnedItem(position, term, following);
            if (!isHere || session != _session || session == _disowned) return false;
        }

        if (_receiver!.IsHeld(session)) return true;
        GiveUp(session, "the broker has not been heard of for as long as a heartbeat may take");
        return false;
    }

    /// <summary>
    /// Says that a sink has refused an item, as it knows a newer term: nothing more of the item's session is acknowledged, and
    /// another session begins.
    /// </summary>
    /// <remarks>Call it before the batch of the item ends. The refused item, and those behind it, come again where they belong.</remarks>
    /// <param name="sequence">The slot's sequence, in the batch that the stage is handling.</param>
    /// <inheritdoc cref="TryOwn" path="/exception"/>
    public void Disown(long sequence)
    {
        if (!_options.Fencing) throw LinkErrors.NoFencing(_link.Name);
        long session;
        lock (_gate)
        {
            bool isHere = _placed.TryLocate(sequence, out _, out _, out session, out _);
            // It is not to be acknowledged anyway.
            if (!isHere || session != _session) return;
        }

        GiveUp(session, "the sink knows a newer term");
    }

    private bool IsDisowned(long session)
    {
        lock (_gate) return session == _disowned;
    }

    private void GiveUp(long session, string reason)
    {
        lock (_gate)
        {
            if (session != _session || session == _disowned) return;
            _disowned = session;
        }

        new LinkEvent(LinkEventKind.Disowned, _link.Name, reason).TellTo(_options.OnEvent);
        _receiver!.Renew(session);
    }
}

/// <summary>An item that is this worker's to handle.</summary>
/// <param name="Position">Which item of the link it is: the same when it is delivered again.</param>
/// <param name="Term">The fencing token: higher for each worker that has the item's partition after another.</param>
/// <param name="Following">How many slots behind it hold the items numbered after it, with the same term.</param>
public readonly record struct OwnedItem(LinkPosition Position, long Term, int Following);
