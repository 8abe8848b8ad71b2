using System.Diagnostics;
using Raceway.Interop.Distributed;

namespace Raceway.Interop.RabbitMq;

/// <summary>What one side knows of deleted queues of its link: found, declared again, told to the receivers.</summary>
/// <remarks>Times are of <see cref="Stopwatch"/>; one find stands for all before it.</remarks>
internal sealed class DeletedQueues(RabbitMqWriter writer, LinkAddress link, CancellationToken ended)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(2);

    private readonly object _gate = new();
    private readonly Guid _side = Guid.NewGuid();
    private long _found;
    private long _declared;
    private long _told;
    private Task _telling = Task.CompletedTask;
    private bool _isTelling;

    /// <summary>When a queue was found deleted last; 0: never.</summary>
    public long Found
    {
        get { lock (_gate) return _found; }
    }

    /// <summary>Completes when nothing is told any more; the side has ended.</summary>
    public Task Telling
    {
        get { lock (_gate) return _telling; }
    }

    /// <summary>A queue is gone.</summary>
    public void Find()
    {
        lock (_gate) _found = Stopwatch.GetTimestamp();
    }

    /// <summary>
    /// What was found up to then is declared again. The receivers are told so beside what the side does: its broker may take
    /// nothing for long, and what is there is to be handled meanwhile.
    /// </summary>
    public void OnDeclared(long found)
    {
        lock (_gate)
        {
            _declared = Math.Max(_declared, found);
            if (_isTelling || _declared == _told) return;
            _isTelling = true;
            _telling = Task.Run(TellAsync);
        }
    }

    /// <summary>Whether news is of a queue that this side may still consume, which has declared all of them then.</summary>
    public bool Concern(ReadOnlySpan<byte> news, long declaredAt) =>
        QueueNews.Concerns(news, _side, Stopwatch.GetElapsedTime(declaredAt));

    private async Task TellAsync()
    {
        while (!ended.IsCancellationRequested)
        {
            long declared;
            lock (_gate)
            {
                declared = _declared;
                _isTelling = declared != _told;
                if (!_isTelling) return;
            }

            try
            {
                await QueueNews.TellAsync(writer, link, _side, declared, ended).ConfigureAwait(false);
                lock (_gate) _told = declared;
            }
            catch (Exception)
            {
                // The writer's connection is lost, or cannot be made: again, until that has succeeded.
                await Task.Delay(s_pause, ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }
}
