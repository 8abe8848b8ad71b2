namespace Raceway.Proof.Tests.Misuse;

/// <content>The publisher, which any thread may use: nothing is refused for the thread's sake.</content>
internal abstract partial class ProducerWorld<T, TShape>
{
    // Slots that own their objects take no item stored over one: that is the only rule that a caller can break.
    private static readonly May s_anybody =
        May.Ended | May.Disposed | May.Reentrant | May.Cancel | (typeof(T).IsValueType ? May.Return : May.Misuse);

    private static readonly SlotWriter<T, (Publisher<T> Publisher, long Item)> s_nested = static (ref _, state) =>
        state.Publisher.TryPublish(TShape.Make(state.Item));

    protected abstract Publisher<T> Publisher { get; }

    private void AddPublisher()
    {
        Add("Publisher.Publish(item)", 8, s_anybody, (ref h) => Published(h.Player, (items, token) =>
            Publisher.Publish(TShape.Make(items.First), token)), waits: true);
        Add("Publisher.Publish(state, write)", 6, s_anybody | May.Misuse, (ref h) => Published(h.Player, (items, token) =>
            Publisher.Publish(items.First, items.First % 8 == 5 ? s_throw : s_write, token)), waits: true);
        Add("Publisher, in its own writer", 2, s_anybody | May.Misuse, (ref h) => Published(h.Player, (items, token) =>
            Publisher.Publish((Publisher, items.First), s_nested, token)), waits: true);
        Add("Publisher.TryPublish(item)", 12, s_anybody, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, Publisher.TryPublish(TShape.Make(items.First)));
        });
        Add("Publisher.TryPublish(state, write)", 8, May.Publish, (ref h) =>
        {
            Items items = h.Player.Make(1);
            h.Player.Told(items, Publisher.TryPublish(items.First, h.Player.Dice.OneIn(8) ? s_throw : s_write));
        });
        Add("Publisher.TryPublish, timed", 6, s_anybody | May.Argument, (ref h) =>
        {
            Items items = h.Player.Make(1);
            ClaimStatus status = h.Player.Dice.OneIn(2)
                ? Publisher.TryPublish(TShape.Make(items.First), h.Player.Time(), h.Player.Token())
                : Publisher.TryPublish(items.First, s_write, h.Player.Time(), h.Player.Token());
            h.Player.Told(items, status);
        });
        Add("Publisher.Publish(span)", 3, s_anybody, (ref h) =>
        {
            Items items = h.Player.Make(h.Player.Dice.Next(1, 6));
            Publisher.Publish(Many(items), h.Player.Token());
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true, group: true);
        Add("Publisher.PublishPayload", _hasPayloads ? 6 : 1, s_anybody | May.Misuse | May.Argument, (ref h) =>
        {
            Items items = h.Player.Make(1);
            byte[] bytes = new byte[h.Player.Dice.Next(LetterShape.MaxLength + 4)];
            LetterShape.Pattern(bytes, items.First);
            if (h.Player.Dice.OneIn(2))
            {
                h.Player.Told(items, Publisher.TryPublishPayload(bytes, items.First, s_number));
                return;
            }

            Publisher.PublishPayload(bytes, items.First, s_number, h.Player.Token());
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("Publisher.PublishAsync", 8, s_anybody, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            CancellationToken token = h.Player.Token();
            bool group = h.Player.Dice.OneIn(4);
            Items items = h.Player.Make(group ? h.Player.Dice.Next(2, 5) : 1);
            ValueTask task = group ? Publisher.PublishAsync(Many(items), token)
                : h.Player.Dice.OneIn(2) ? Publisher.PublishAsync(TShape.Make(items.First), token)
                : Publisher.PublishAsync(items.First, s_write, token);
            h.Player.Follow(task, items, s_anybody, group, waits);
        }, waits: true, group: true);
        Add("Publisher.TryComplete", 1, s_anybody, (ref h) => { if (h.Player.Dice.OneIn(24)) Publisher.TryComplete(); });
        Add("Publisher.WaitForRoomAsync", 3, s_anybody, (ref h) =>
        {
            bool waits = h.Player.Dice.OneIn(3);
            h.Player.Follow(Publisher.WaitForRoomAsync(h.Player.Token()).AsTask(), s_anybody, waits);
        }, waits: true);
    }

    private static void Published(Player player, Action<Items, CancellationToken> publish)
    {
        CancellationToken token = player.Token();
        Items items = player.Make(1);
        publish(items, token);
        player.Told(items, ClaimStatus.Done);
    }
}
