namespace Raceway.Explorer.Engine;

/// <content>Races on slots: two accesses, one of them a write, that no release and acquire puts in an order.</content>
internal sealed partial class Model
{
    /// <summary>The running thread reads or writes the slot at <paramref name="address"/>.</summary>
    public void Touch(ModelThread me, nint address, bool write)
    {
        if (!_slots.TryGetValue(address, out SlotHistory? slot)) _slots.Add(address, slot = new SlotHistory());
        if (slot.Writer >= 0 && slot.Writer != me.Id && me.View[slot.Writer % Views.Threads] < slot.Written)
            Race(me, write ? "writes" : "reads", "writes", slot.Writer);
        if (write)
        {
            for (int id = 0; id < slot.Read.Length; id++)
                if (id != me.Clock && me.View[id] < slot.Read[id]) Race(me, "writes", "reads", id);
            (slot.Writer, slot.Written) = (me.Id, me.View[me.Clock]);
        }
        else
        {
            slot.Read[me.Clock] = me.View[me.Clock];
        }

        Note(me, $"{(write ? "writes" : "reads")} slot {address & 0xFFFF:x}");
    }

    /// <summary>Adds to the trace, where one is kept.</summary>
    public void Note(ModelThread me, string what) => Trace?.Add(me, what);

    private void Race(ModelThread me, string does, string did, int other) =>
        Fail($"{me.Name} {does} a slot that {_threads[other].Name} {did} without an order between them.");

    private sealed class SlotHistory
    {
        public int Writer = -1;
        public int Written;
        public readonly int[] Read = new int[Views.Threads];
    }
}
