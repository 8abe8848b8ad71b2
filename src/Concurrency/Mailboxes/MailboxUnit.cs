using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The mailbox's side that handles: stepped by a thread or the pool, as a stage of a ring is.</summary>
/// <remarks>
/// <para>A step: 1. look whether the state changed. 2. finish what is pending. 3. take the messages that are there in a row.
/// 4. hand them over; give their slots back.</para>
/// <para><b>Threads</b>: <see cref="StepOnce"/> by one thread at a time.</para>
/// </remarks>
internal sealed partial class MailboxUnit<T> : Steppable
{
    // A poster is between its claim and its message for some nanoseconds, unless it has lost its processor there.
    private const int LooksAtHole = 64;
    private static readonly TimeSpan s_holeLook = TimeSpan.FromMilliseconds(1);

    // As many messages in a batch are worth waiting a moment for.
    private const int Gathers = 128;

    private readonly Mailbox<T> _mailbox;
    private readonly MessageQueue<T> _queue;
    private readonly Receiver<T> _receiver;
    private readonly MailboxOptions<T> _options;
    private readonly Control _control;
    private readonly Progress? _completions;
    private readonly Action? _onCompleted;
    private Waiting? _waiting;
    private long _controlSeen;
    private long _lease;
    private int _running;
    private bool _isMoreBehind; // of the call under way: when it began, more was there than it was given
    private ConfiguredValueTaskAwaitable.ConfiguredValueTaskAwaiter _task;
    private bool _began;
    private Reentrancy.Call? _call;

    public MailboxUnit(
        Mailbox<T> mailbox, MessageQueue<T> queue, Receiver<T> receiver, MailboxOptions<T> options, Control control, RingMemory cells)
    {
        _mailbox = mailbox;
        _queue = queue;
        _receiver = receiver;
        _options = options;
        _control = control;
        if (!receiver.IsAsync) return;
        _completions = new Progress(cells, 0, staysParking: true);
        _onCompleted = () =>
        {
            // Before the advance: the next call may begin right behind it.
            _call?.End();
            _completions.Advance(_lease);
        };
    }

    public StageCounters Counters { get; } = new();

    public Waiting? Waiting => _waiting;

    internal override IUnitOwner Owner => _mailbox;

    internal override bool LeadsChain => true;

    internal override bool MarksContext => _receiver.IsAsync;

    public static WaitContext WaitContext { get; } = new(LeadsChain: true, Gathers * 8, HasStamps: true, IsProducer: false);

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        long word = _control.Word;
        _controlSeen = word;
        if (_running > 0) return Finish();
        if ((word & Control.Halted) != 0) return StepResult.Stopped;
        if (_notBefore != 0)
        {
            if (_mailbox.Clock.Now < _notBefore) return StepResult.Pending;
            _notBefore = 0;
        }

        int most = Math.Min(quantum, _options.MaxBatch);
        if (_queue.Position <= _failedThrough) most = (int)Math.Min(most, (_failedThrough - _queue.Position) / 2 + 1);
        Span<T> messages = _queue.Peek(most, out bool more);
        if (messages.Length > 0) return Receive(messages, more);
        if (!_queue.IsAwaited) return (word & Control.Closed) != 0 ? StepResult.Stopped : StepResult.Idle;
        for (int look = 0; look < LooksAtHole && messages.Length == 0; look++)
        {
            Cpu.Pause();
            messages = _queue.Peek(most, out more);
        }

        return messages.Length > 0 ? Receive(messages, more) : StepResult.Idle;
    }

    internal override WaitTarget NextTarget()
    {
        if (_running > 0) return Target(_completions!, _lease, Clock.Never);
        if (_notBefore != 0) return Target(_queue.Bell, Progress.Never, _notBefore);
        if (_queue.TryRest()) return Target(_queue.Bell, _queue.Position + 1, Clock.Never);
        // A poster has a sequence. Its message is there (then this is over), or the poster has been held up before writing it. No poster
        // rings for that, so it is looked for now and then.
        return _queue.Peek(1, out _).Length > 0
            ? Target(_queue.Bell, 0, Clock.Never)
            : Target(_queue.Bell, Progress.Never, Clock.Never) with { Recheck = MachineClock.In(s_holeLook) };
    }

    internal override void Begin()
    {
        CallHook(static lifetime => lifetime.OnStart());
        _began = true;
    }

    internal override void End()
    {
        if (!_began) return;
        _began = false;
        CallHook(static lifetime => lifetime.OnStop());
    }

    internal override void LeaveAll() => _mailbox.Halt();

    internal override void Attend(Waiting waiting, bool inGroup = false) => _waiting = waiting;

    private void CallHook(Action<IStageLifetime> call)
    {
        if (_receiver.Handler is not IStageLifetime lifetime) return;
        object? outer = Reentrancy.Enter(_mailbox);
        try
        {
            call(lifetime);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }
    }

    private WaitTarget Target(Progress cell, long awaited, long deadline) =>
        new(cell, awaited, deadline, _control, _controlSeen) { Clock = _mailbox.Clock };

    private StepResult Receive(Span<T> messages, bool more)
    {
        int done = 0;
        int running = 0;
        object? outer = Reentrancy.Enter(_mailbox);
        ReadOnlyMemory<T> memory = default;
        if (_receiver.IsAsync)
        {
            memory = _queue.Lend(messages.Length);
            _call = Reentrancy.Begin(_mailbox);
        }

        try
        {
            ValueTask task = _receiver.Receive(
                new Delivery<T>(messages, memory, _queue.Position, _control, _call, _mailbox.HaltToken), ref done, ref running);
            _isMoreBehind = more || done + running < messages.Length;
            if (running > 0 && !Completes(task, running)) return Rest(done, running);
            _call?.EndAtOnce();
            done += running;
        }
        catch (Exception fault)
        {
            _call?.EndAtOnce();
            return OnFault(fault, done, messages.Length, more);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        return Settle(done, more || done < messages.Length);
    }

    private bool Completes(ValueTask task, int running)
    {
        _task = task.ConfigureAwait(false).GetAwaiter();
        if (_task.IsCompleted)
        {
            _task.GetResult();
            return true;
        }

        _lease++;
        _running = running;
        return false;
    }

    // The unit rests until the task reports its end; what was handled before it is given back.
    private StepResult Rest(int done, int running)
    {
        _running = running;
        try
        {
            _task.UnsafeOnCompleted(_onCompleted!);
        }
        catch
        {
            // It takes no awaiter, as it was awaited before: that is a failed call, and nothing is settled yet. What it has started may go on.
            _call?.End();
            _call = null;
            _running = 0;
            _task = default;
            throw;
        }

        if (done > 0) Settle(done, more: false);
        return StepResult.Pending;
    }

    private StepResult Finish()
    {
        if (!_completions!.IsReached(_lease)) return StepResult.Pending;
        int running = _running;
        _running = 0;
        try
        {
            _task.GetResult();
        }
        catch (Exception fault)
        {
            return OnFault(fault, 0, running, more: true);
        }
        finally
        {
            _task = default;
        }

        return Settle(running, _isMoreBehind) with { More = true };
    }

    private StepResult Settle(int done, bool more)
    {
        if (done > 0)
        {
            Counters.AddBatch(done, !more ? CloseReason.Drained : done >= _options.MaxBatch ? CloseReason.Full : CloseReason.Cut);
            _queue.Release(done);
        }

        return new StepResult(StepKind.Progressed, done, more);
    }
}
