namespace Raceway.Proof.Tests.Misuse;

/// <summary>Handles that several threads share, and every way to publish by them.</summary>
internal abstract partial class ProducerWorld<T, TShape> : World<T>
    where TShape : struct, IShape<T>
{
    private const May Claiming = May.Publish | May.Argument | May.Cancel | May.Reentrant;
    private static readonly SlotWriter<T, long> s_write = static (ref slot, item) => TShape.Fill(ref slot, item);
    private static readonly SlotWriter<T, long> s_throw = static (ref _, _) => throw new FromHandlerException();

    private readonly Producer<T>?[] _handles;

    protected ProducerWorld(Setting setting)
        : base(setting.Ledger)
    {
        _hasPayloads = setting.Item == ItemKind.Letter;
        IsChecked = setting.IsChecked;
        Ledger.MayMix = !IsChecked;
        // A publisher takes a producer for good, of a single-producer ring the only one.
        int handles = setting.Kind == ProducerKind.Single ? 1 : 2;
        _handles = new Producer<T>?[setting.HasPublisher ? handles - 1 : handles];
        if (setting.HasPublisher) AddPublisher();
        if (_handles.Length == 0) return;
        AddPublishing();
        AddDropping();
        AddAsync();
        AddClaims();
        AddOpen();
        AddHandles();
    }

    private readonly bool _hasPayloads;
    private bool _hadMorePollers;

    /// <summary>Whether threads are checked: otherwise two of them may write the same slot, and only memory must stay intact.</summary>
    protected bool IsChecked { get; }

    /// <summary>Whether pollers have been attached while items were under way. What such a one has not polled yet is unprocessed, though
    /// every stage has handled it: so an item may be counted twice.</summary>
    protected bool HadMorePollers
    {
        get => Volatile.Read(ref _hadMorePollers);
        set => Volatile.Write(ref _hadMorePollers, value);
    }

    protected abstract RingBuffer<T> First { get; }

    protected abstract Producer<T> Create(bool multi);

    protected void FillHandles()
    {
        for (int i = 0; i < _handles.Length; i++) _handles[i] = Create(First.Options.Producers == ProducerKind.Multi);
    }

    protected IReadOnlyList<Producer<T>?> Handles => _handles;

    // Mostly its own, so that most calls are right; often enough another thread's.
    private Producer<T> Handle(Player player)
    {
        int at = player.Dice.OneIn(3) ? player.Dice.Next(_handles.Length) : player.Index % _handles.Length;
        return Volatile.Read(ref _handles[at])!;
    }

    private void AddPublishing()
    {
        Add("Publish(item)", 10, May.Publish | May.Reentrant, (ref h) =>
        {
            Items items = h.Player.Make(1);
            Handle(h.Player).Publish(TShape.Make(items.First));
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("Publish(state, write)", 6, May.Publish | May.Reentrant, (ref h) =>
        {
            bool throws = h.Player.Dice.OneIn(8);
            Items items = h.Player.Make(1);
            Handle(h.Player).Publish(items.First, throws ? s_throw : s_write);
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("Publish(span)", 3, May.Publish | May.Reentrant, (ref h) =>
        {
            Items items = h.Player.Make(h.Player.Dice.Next(1, 6));
            Handle(h.Player).Publish(Many(items));
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true, group: true);
        Add("TryPublish(item)", 20, May.Publish, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, Handle(h.Player).TryPublish(TShape.Make(items.First)));
        });
        Add("Publish(item, token)", 4, Claiming, (ref h) =>
        {
            CancellationToken token = h.Player.Token();
            Items items = h.Player.Make(1);
            Handle(h.Player).Publish(TShape.Make(items.First), token);
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("TryPublish(item), timed", 6, Claiming, (ref h) =>
        {
            CancellationToken token = h.Player.Token();
            Items items = h.Player.Make(1);
            h.Player.Told(items, Handle(h.Player).TryPublish(TShape.Make(items.First), h.Player.Time(), token));
        });
        Add("TryPublish(state, write)", 10, May.Publish, (ref h) =>
        {
            bool throws = h.Player.Dice.OneIn(8);
            Items items = h.Player.Make(1);
            h.Player.Told(items, Handle(h.Player).TryPublish(items.First, throws ? s_throw : s_write));
        });
        Add("PublishPayload", _hasPayloads ? 6 : 1, May.Publish | May.Argument | May.Reentrant, (ref h) =>
        {
            Items items = h.Player.Make(1);
            byte[] bytes = new byte[h.Player.Dice.Next(LetterShape.MaxLength + 4)];
            LetterShape.Pattern(bytes, items.First);
            Handle(h.Player).PublishPayload(bytes, items.First, s_number);
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("TryPublishPayload", _hasPayloads ? 10 : 1, May.Publish, (ref h) =>
        {
            Items items = h.Player.Make(1);
            byte[] bytes = new byte[h.Player.Dice.Next(LetterShape.MaxLength + 4)];
            LetterShape.Pattern(bytes, items.First);
            h.Player.Told(items, Handle(h.Player).TryPublishPayload(bytes, items.First, s_number));
        });
    }

    private void AddDropping() => Add("DroppingProducer", 4, May.Publish, (ref h) =>
    {
        var dropping = new DroppingProducer<T>(Handle(h.Player));
        Items items = h.Player.Make(1);
        ClaimStatus status = h.Player.Dice.Next(3) switch
        {
            0 => dropping.Publish(TShape.Make(items.First)),
            1 => dropping.Publish(items.First, s_write),
            _ => dropping.PublishPayload(default, items.First, s_number),
        };
        h.Player.Told(items, status);
        if (dropping.Dropped != (status == ClaimStatus.Full ? 1 : 0)) Ledger.Fault($"{status}, and {dropping.Dropped} dropped");
    });

    // The bytes are there already.
    private static readonly SlotWriter<T, long> s_number = static (ref slot, item) =>
    {
        if (slot is Letter letter) slot = (T)(object)(letter with { Number = item });
        else TShape.Fill(ref slot, item);
    };

    private void AddAsync()
    {
        Add("PublishAsync(item)", 6, Claiming, (ref h) => FollowOne(h.Player, h.Player.Dice.OneIn(3), 0), waits: true);
        Add("PublishAsync(state, write)", 6, Claiming, (ref h) => FollowOne(h.Player, h.Player.Dice.OneIn(3), 1), waits: true);
        Add("PublishAsync(memory)", 3, Claiming, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            CancellationToken token = h.Player.Token();
            Items items = h.Player.Make(h.Player.Dice.Next(1, 6));
            h.Player.Follow(Handle(h.Player).PublishAsync(Many(items), token), items, Claiming, isGroup: true, waits);
        }, waits: true, group: true);
        Add("WaitForRoomAsync", 4, Claiming, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            h.Player.Follow(Handle(h.Player).WaitForRoomAsync(Count(h.Player), h.Player.Token()).AsTask(), Claiming, waits);
        }, waits: true);
        Add("cancel what waits", 4, May.Return, (ref h) => h.Player.CancelLater());
    }

    private void FollowOne(Player player, bool waits, int way)
    {
        CancellationToken token = player.Token();
        Items items = player.Make(1);
        Producer<T> handle = Handle(player);
        ValueTask task = way == 0
            ? handle.PublishAsync(TShape.Make(items.First), token)
            : handle.PublishAsync(items.First, s_write, token);
        player.Follow(task, items, Claiming, isGroup: false, waits);
    }

    private void AddHandles()
    {
        Add("Remaining, MaxClaim, Ring", 4, May.Return, (ref h) =>
        {
            Producer<T> handle = Handle(h.Player);
            int remaining = handle.Remaining;
            if (remaining < 0 || remaining > handle.Ring.Capacity) Ledger.Fault($"Remaining is {remaining}");
            if (handle.MaxClaim < 1) Ledger.Fault($"MaxClaim is {handle.MaxClaim}");
            if (handle is MultiProducer<T> { CreditBatch: < 1 }) Ledger.Fault("CreditBatch is below 1");
        });
        Add("ReleaseThread", 6, May.Misuse | May.Disposed, (ref h) =>
        {
            if (Handle(h.Player) is SingleProducer<T> single) single.ReleaseThread();
        });
        Add("TryReleaseThread", 6, May.Return, (ref h) => Handle(h.Player).TryReleaseThread());
        Add("Dispose of a handle", 2, May.Misuse, (ref h) => Handle(h.Player).Dispose());
        Add("CreateProducer", 3, May.Misuse, (ref h) => Replace(h.Player, multi: h.Player.Dice.OneIn(8)));
        Add("CreateMultiProducer", 2, May.Misuse, (ref h) => Replace(h.Player, multi: !h.Player.Dice.OneIn(8)));
    }

    private void Replace(Player player, bool multi)
    {
        int at = player.Dice.Next(_handles.Length);
        Producer<T> created = Create(multi);
        // The one before is dropped, perhaps with a claim or with room: its ring lives on.
        Producer<T>? before = Interlocked.Exchange(ref _handles[at], created);
        if (!player.Dice.OneIn(4)) before?.Dispose();
    }

    protected static T[] Many(in Items items)
    {
        var many = new T[items.Count];
        for (int i = 0; i < many.Length; i++) many[i] = TShape.Make(items.First + i);
        return many;
    }

    // Mostly what fits; now and then none, too many, or a wrong one.
    private int Count(Player player) => player.Dice.Next(16) switch
    {
        0 => -1,
        1 => 0,
        2 => First.Capacity + 1,
        3 => First.Capacity,
        _ => player.Dice.Next(1, Math.Max(1, First.Capacity / 4)),
    };
}
