namespace Raceway.Proof.Tests.Misuse;

/// <summary>A message of the mailbox of a case: an item, and perhaps a question.</summary>
internal readonly record struct Message(long Item, Reply<long> Reply);

/// <summary>A mailbox: every member by any thread.</summary>
internal sealed class MailboxWorld : World<Message>
{
    private const May Posting = May.Ended | May.Disposed | May.Cancel | May.Argument;
    private readonly Mailbox<Message> _mailbox;
    private readonly Player _handling;
    private Reply<long>[] _kept = new Reply<long>[1];
    private Dice _dice;
    private long _inside;

    public MailboxWorld(Setting setting)
        : base(setting.Ledger)
    {
        Dice dice = setting.Dice;
        _dice = new Dice((uint)dice.Next(int.MaxValue));
        _handling = new Player(setting.Threads, Ledger, () => HasEnded);
        var options = new MailboxOptions<Message>
        {
            Name = "box",
            Bound = dice.OneIn(2) ? dice.Next(1, 16) : null,
            MaxBatch = dice.OneIn(2) ? 1024 : dice.Next(1, 4),
            Wait = dice.OneIn(3) ? Wait.Park() : Wait.Async(),
            DrainTimeout = TimeSpan.FromMilliseconds(dice.Next(3)),
            OnUnprocessed = message => Ledger.Came(Ledger.Left, message.Item),
        };
        _mailbox = dice.Next(4) switch
        {
            3 => Mailbox.Start<MailboxWorld, Message>(this, static (ref world, message) => world.Handle(message), options),
            0 => Mailbox.Start<Message>(Handle, options),
            1 => Mailbox.Start<Message>(HandleAsync, options),
            _ => Mailbox.StartBatches<Message>(HandleManyAsync, options),
        };
        AddPosts();
        AddAsks();
        AddLife();
    }

    public override bool HasEnded => _mailbox.State is not (RingState.Created or RingState.Running);

    public override void Rescue() => _ = _mailbox.HaltAsync();

    public override string Describe() => $"{_mailbox.State}, {_mailbox.Count} waiting, {_mailbox.GetStatistics()}";

    public override async Task EndAsync(Dice dice)
    {
        Look(await _mailbox.DrainAsync(TimeSpan.FromMilliseconds(dice.OneIn(8) ? 0 : 15)));
        await _mailbox.HaltAsync();
        await _mailbox.DisposeAsync();
        await Task.WhenAny(_mailbox.Completion);
        if (_mailbox.Unprocessed != Ledger.LeftOver) Ledger.Fault($"Unprocessed is {_mailbox.Unprocessed}, and {Ledger.LeftOver} were offered");
        Ledger.Check(0, strictly: true);
    }

    private void Look(DrainStatus status)
    {
        if (status == DrainStatus.TimedOut) return;
        if (status == DrainStatus.Drained && _mailbox.Unprocessed > 0) Ledger.Fault($"drained, and {_mailbox.Unprocessed} unprocessed");
        Ledger.EndedBy ??= $"a drain has said {status}";
    }

    private void AddPosts()
    {
        Add("Post", 10, Posting, (ref h) =>
        {
            Items items = h.Player.Make(1);
            _mailbox.Post(new Message(items.First, default));
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("TryPost", 14, May.Return, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, _mailbox.TryPost(new Message(items.First, default)));
        });
        Add("TryPost, timed", 8, May.Argument, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, _mailbox.TryPost(new Message(items.First, default), h.Player.Time()));
        });
        Add("PostAsync", 8, Posting, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            CancellationToken token = h.Player.Token();
            Items items = h.Player.Make(1);
            h.Player.Follow(_mailbox.PostAsync(new Message(items.First, default), token), items, Posting, isGroup: false, waits);
        }, waits: true);
    }

    private void AddAsks()
    {
        const May asking = Posting | May.TimeOut | May.Reentrant;
        Add("AskAsync", 6, asking, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(4);
            Items items = h.Player.Make(1);
            long item = items.First;
            Ask(h.Player, _mailbox.AskAsync<long>(reply => new Message(item, reply), h.Player.Token()), item, asking, waits);
        }, waits: true, group: true);
        Add("AskAsync, timed", 6, asking, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(4);
            Items items = h.Player.Make(1);
            long item = items.First;
            Ask(h.Player, _mailbox.AskAsync<long, long>(
                item, static (item, reply) => new Message(item, reply), h.Player.Time(), h.Player.Token()), item, asking, waits);
        }, waits: true, group: true);
        Add("an answer that was kept", 6, May.Return, (ref h) =>
        {
            Reply<long> reply = Volatile.Read(ref _kept)[0];
            switch (h.Player.Dice.Next(3))
            {
                case 0: _ = reply.IsAwaited; break;
                case 1: _ = reply.TryFail(new FromHandlerException()); break;
                default: _ = reply.TrySet(-7); break;
            }
        });
        Add("cancel what waits", 4, May.Return, (ref h) => h.Player.CancelLater());
    }

    private void Ask(Player player, ValueTask<long> task, long item, May may, bool waits)
    {
        async Task Look()
        {
            // -7 is what another thread has answered in the handler's place, with a reply that it had kept.
            long answer = await task.ConfigureAwait(false);
            if (answer != item + 1 && answer != -7) Ledger.Fault($"asked with {item}, answered {answer}");
        }

        player.Follow(Look(), may | May.Misuse, waits);
    }

    private void AddLife()
    {
        Add("Complete", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(12)) _mailbox.Complete(); });
        Add("DrainAsync", 1, May.Argument, (ref h) =>
        {
            if (!h.Player.Dice.OneIn(6)) return;
            h.Player.Follow(DrainAsync(h.Player.Time(), h.Player.Token()), May.Argument | May.Cancel, h.Player.Dice.OneIn(2));
        });
        Add("HaltAsync", 1, May.Return, (ref h) => { if (h.Player.Dice.OneIn(16)) h.Player.Follow(_mailbox.HaltAsync(), May.Return); });
        Add("DisposeAsync", 1, May.Return, (ref h) =>
        {
            if (h.Player.Dice.OneIn(16)) h.Player.Follow(_mailbox.DisposeAsync().AsTask(), May.Return, h.Player.Dice.OneIn(4));
        });
        Add("snapshots of a mailbox", 6, May.Return, (ref h) =>
        {
            if (_mailbox.Count < 0 || _mailbox.Unprocessed < 0 || _mailbox.Name != "box") Ledger.Fault($"Count is {_mailbox.Count}");
            if (_mailbox.GetStatistics().ToString().Length == 0) Ledger.Fault("no text");
            bool over = _mailbox.Completion.IsCompleted;
            RingState state = _mailbox.State;
            if (over && state is not (RingState.Stopped or RingState.Faulted)) Ledger.Fault($"completed, and {state}");
        });
    }

    private async Task DrainAsync(TimeSpan timeout, CancellationToken cancellation) =>
        Look(await _mailbox.DrainAsync(timeout, cancellation).ConfigureAwait(false));

    private void Handle(Message message)
    {
        Enter();
        Take(message);
        Leave();
    }

    private async ValueTask HandleAsync(Message message, CancellationToken cancellation)
    {
        Enter();
        if (_dice.OneIn(4)) await Task.Yield();
        Take(message);
        Leave();
    }

    private async ValueTask HandleManyAsync(ReadOnlyMemory<Message> messages, CancellationToken cancellation)
    {
        Enter();
        if (_dice.OneIn(4)) await Task.Yield();
        foreach (Message message in messages.Span) Take(message);
        Leave();
    }

    private void Take(in Message message)
    {
        Ledger.Came(0, message.Item);
        if (_dice.OneIn(8)) Volatile.Write(ref _kept, [message.Reply]);
        if (!_dice.OneIn(8)) message.Reply.TrySet(message.Item + 1);
        else if (_dice.OneIn(2)) message.Reply.TryFail(new FromHandlerException());
        if (!_dice.OneIn(24)) return;
        _handling.Begin("within a handler", false, (uint)_dice.Next(int.MaxValue));
        try
        {
            Items items = _handling.Make(1);
            if (_dice.OneIn(2)) _handling.Told(items, _mailbox.TryPost(new Message(items.First, default)));
            else _mailbox.Post(new Message(items.First, default));
            if (Ledger.SaidOf(items.First) == Said.Unknown) Ledger.Say(items, Said.Done);
            if (_dice.OneIn(30)) _ = _mailbox.DisposeAsync().AsTask();
        }
        catch (Exception fault)
        {
            _handling.Threw(fault, Posting | May.Reentrant, isGroup: false);
        }
    }

    private void Enter()
    {
        if (Interlocked.Exchange(ref _inside, 1) != 0) Ledger.Fault("the handler was called twice at a time");
    }

    private void Leave() => Volatile.Write(ref _inside, 0);
}
