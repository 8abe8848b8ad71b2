using Raceway.Concurrency;

namespace Raceway.Suites.ScopeSuite;

/// <summary>Starts all children and waits for them.</summary>
internal delegate Task JoinMethod(ScopeBodies bodies);

/// <summary>Ways to start children and wait for them all: ours and others.</summary>
internal static class JoinMethods
{
    /// <summary>The platform's: an array and <c>Task.WhenAll</c>.</summary>
    public const string WhenAllName = "when-all";

    /// <summary>Tasks added to a scope.</summary>
    public static async Task Scope(ScopeBodies bodies)
    {
        await using var scope = TaskScope.Rent();
        for (int i = 0; i < bodies.Size; i++) scope.Add(bodies.Start(i));
        await scope.JoinAsync();
    }

    /// <summary>The same, each watched from the moment it is added.</summary>
    public static async Task FailFastScope(ScopeBodies bodies)
    {
        await using var scope = TaskScope.RentFailFast();
        for (int i = 0; i < bodies.Size; i++) scope.Add(bodies.Start(i));
        await scope.JoinAsync();
    }

    /// <summary>Work spawned in a scope: no task.</summary>
    public static async Task Spawn(ScopeBodies bodies)
    {
        await using var scope = TaskScope.Rent();
        for (int i = 0; i < bodies.Size; i++) scope.Spawn((bodies, i), static (child, _) => child.bodies.Note(child.i));
        await scope.JoinAsync();
    }

    /// <summary><c>Task.WhenAll</c> over an array of the caller's.</summary>
    public static async Task WhenAll(ScopeBodies bodies)
    {
        var children = new Task[bodies.Size];
        for (int i = 0; i < children.Length; i++) children[i] = bodies.Start(i);
        await Task.WhenAll(children);
    }

    /// <summary>A scope as the write-up describes its own.</summary>
    public static async Task Rebuilt(ScopeBodies bodies)
    {
        var scope = new RebuiltScope();
        for (int i = 0; i < bodies.Size; i++)
        {
            int child = i;
            scope.Add(_ => bodies.Start(child));
        }

        await scope.RunAsync(CancellationToken.None);
    }
}
