using Raceway.Interop.Distributed;

namespace Raceway.Interop.RabbitMq;

/// <summary>Tells a listener one event after the other, in the order in which they were added.</summary>
/// <remarks>
/// Connections are lost and made on different threads: each adds its event with the lock held that says what came first, and
/// tells without it. A listener that is slow is told the rest afterwards, by the same thread.
/// </remarks>
internal sealed class LinkEventLine(string link, Action<LinkEvent>? listener)
{
    private readonly Queue<LinkEvent> _waiting = new();
    private bool _isTelling;

    public void Add(LinkEventKind kind, string detail)
    {
        lock (_waiting) _waiting.Enqueue(new LinkEvent(kind, link, detail));
    }

    /// <summary>Tells what was added, unless another thread is telling: that one tells this too.</summary>
    public void Tell()
    {
        lock (_waiting)
        {
            if (_isTelling) return;
            _isTelling = true;
        }

        while (true)
        {
            LinkEvent next;
            lock (_waiting)
            {
                _isTelling = _waiting.TryDequeue(out next);
                if (!_isTelling) return;
            }

            next.TellTo(listener);
        }
    }
}
