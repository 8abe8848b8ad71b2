namespace Raceway.Proof.Tests.Misuse;

internal enum ItemKind
{
    Plain,
    Node,
    Letter,
}

/// <summary>What a case is built from, all of it drawn from its seed.</summary>
internal sealed record Setting(Ledger Ledger, Dice Dice, int Threads, bool IsChecked)
{
    /// <summary>Columns of a ledger: the stages from the start, and those that may join.</summary>
    public const int MostStages = 6;

    public ProducerKind Kind { get; init; }

    public ItemKind Item { get; init; }

    public int Capacity { get; init; }

    public int Stages { get; init; }

    public bool InSlot { get; init; }

    /// <summary>Whether any thread publishes, by a publisher, beside the handles that are left.</summary>
    public bool HasPublisher { get; init; }

    public static Setting Draw(Ledger ledger, Dice dice, int threads, bool isChecked)
    {
        ProducerKind kind = isChecked ? (ProducerKind)dice.Next(3) : dice.OneIn(4) ? ProducerKind.Sharded : ProducerKind.Single;
        ItemKind item = (ItemKind)dice.Next(kind == ProducerKind.Sharded ? 2 : 3);
        return new Setting(ledger, dice, threads, isChecked)
        {
            Kind = kind,
            Item = item,
            Capacity = 4 << dice.Next(5),
            Stages = dice.Next(1, 3),
            HasPublisher = isChecked && dice.OneIn(4),
            InSlot = item == ItemKind.Plain && kind != ProducerKind.Sharded && dice.OneIn(3),
        };
    }

    public static RingOptions<T> Configure<T, TShape>(RingOptions<T> options, Setting setting, PoisonPool pool)
        where TShape : struct, IShape<T>
    {
        Dice dice = setting.Dice;
        return options with
        {
            Producers = setting.Kind,
            MaxProducers = 2,
            CheckProducer = setting.IsChecked,
            Wait = AnyWait(ref dice),
            ProducerWait = AnyWait(ref dice),
            DrainTimeout = TimeSpan.FromMilliseconds(dice.Next(3)),
            ClaimTimeout = dice.OneIn(4) ? TimeSpan.FromMilliseconds(20) : Timeout.InfiniteTimeSpan,
            Stamps = setting.InSlot ? StampLayout.InSlot : StampLayout.Separate,
            SlotStride = setting.InSlot ? 64 : 0,
            CreateSlot = setting.Item == ItemKind.Node ? static () => (T)(object)new Node() : null,
            Payload = setting.Item == ItemKind.Letter ? (PayloadAccessor<T>)(object)s_body : null,
            PayloadOptions = new PayloadOptions
            {
                MaxLength = LetterShape.MaxLength, KeepLength = dice.OneIn(2) ? 0 : 16, Pool = pool,
            },
        };
    }

    /// <summary>Any dispatch that fits the smallest ring of a case.</summary>
    public static Dispatch AnyDispatch(ref Dice dice) => dice.Next(6) switch
    {
        0 => Dispatch.Single,
        1 => Dispatch.Each(),
        2 => Dispatch.Batch(max: 3),
        3 => Dispatch.Batch(min: 2, maxAge: TimeSpan.FromMilliseconds(1)),
        4 => Dispatch.Each(max: 2, progressInterval: 1),
        _ => Dispatch.Batch(),
    };

    private static readonly PayloadAccessor<Letter> s_body = static (ref letter) => ref letter.Body;

    // Spinning waits take the processors from the others: seldom.
    private static Wait AnyWait(ref Dice dice) => dice.Next(16) switch
    {
        0 => Wait.Yield(),
        1 => Wait.Adaptive(),
        2 => Wait.TimedPark(TimeSpan.FromMilliseconds(1)),
        < 8 => Wait.Async(),
        _ => Wait.Park(),
    };
}
