using Raceway.Explorer.Engine;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Watches that share their rounds: a look sees what a caller has stored before it found its watch set, or set it.</summary>
internal static class WatchBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("watches/two-callers", static world => Callers(world, again: false));
            yield return new Body("watches/two-callers-looked-at-again", static world => Callers(world, again: true));
        }
    }

    private static void Callers(World world, bool again)
    {
        var watches = new Watches(Clock.Machine, TimeSpan.FromMilliseconds(50));
        foreach (string name in new[] { "first", "second" }) new Caller(watches, again).Runs(world, name);
    }

    private sealed class Caller
    {
        private readonly Watches.Watch _watch;
        private int _stored;
        private int _seen;

        public Caller(Watches watches, bool again) => _watch = new Watches.Watch(watches, () =>
        {
            int stored = Modelled.Volatile.Read(in _stored);
            bool isNew = stored > _seen;
            _seen = stored;
            return again && isNew;
        });

        public void Runs(World world, string name) => world.Thread(name, () =>
        {
            for (int step = 1; step <= 2; step++)
            {
                int wanted = step;
                Modelled.Interlocked.Exchange(ref _stored, step);
                if (!_watch.IsSet) _watch.Set();
                World.Until(() => _seen == wanted, "for a look at what it has stored");
            }
        });
    }
}
