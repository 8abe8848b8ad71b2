using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The requests of one mailbox that wait for an answer: what ends them if no answer will come.</summary>
/// <remarks>A list under a lock of a few instructions, entered by requests only: a post that asks for nothing never comes here.</remarks>
internal sealed class RequestBook
{
    private readonly Lock _gate = new();
    private IPendingReply? _first;
    private bool _closed;

    /// <summary>Posts the message of a request, and enters it. A request that has been given up is not posted.</summary>
    public ClaimStatus Post<T>(IPendingReply pending, long ticket, MessageQueue<T> queue, T message, out long sequence)
    {
        sequence = -1;
        lock (_gate)
        {
            if (_closed) return ClaimStatus.Stopped;
            // Seen pending under the lock, it stays this use's until the lock is left: to end it, it must be taken out first.
            if (!pending.IsPending(ticket)) return ClaimStatus.Done;
            // Posted under the lock: a look for the sequence of a message finds its request. Nothing waits in here.
            ClaimStatus status = queue.TryPost(message, out sequence);
            if (status != ClaimStatus.Done) return status;
            pending.Sequence = sequence;
            pending.Before = null;
            pending.After = _first;
            if (_first is not null) _first.Before = pending;
            _first = pending;
            return status;
        }
    }

    /// <summary>Takes a request out that has been ended, entered or not.</summary>
    public void Remove(IPendingReply pending)
    {
        lock (_gate)
        {
            if (pending.Sequence < 0) return;
            if (pending.Before is { } before) before.After = pending.After;
            else _first = pending.After;
            if (pending.After is { } after) after.Before = pending.Before;
            pending.Before = pending.After = null;
            pending.Sequence = -1;
        }
    }

    /// <summary>The message at <paramref name="sequence"/> was passed over.</summary>
    public void FailAt(long sequence, Exception fault)
    {
        IPendingReply? found;
        long ticket = 0;
        lock (_gate)
        {
            for (found = _first; found is not null && found.Sequence != sequence;) found = found.After;
            if (found is not null) ticket = found.Ticket;
        }

        found?.End(ticket, fault);
    }

    /// <summary>The mailbox has ended: no answer comes any more.</summary>
    public void Close(Exception refusal)
    {
        while (true)
        {
            IPendingReply? pending;
            long ticket = 0;
            lock (_gate)
            {
                _closed = true;
                pending = _first;
                if (pending is null) return;
                ticket = pending.Ticket;
            }

            // Another thread has ended it this moment, and takes it out.
            if (!pending.End(ticket, refusal)) Thread.Yield();
        }
    }
}
