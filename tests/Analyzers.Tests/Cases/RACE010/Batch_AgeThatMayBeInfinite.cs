// wrong
Console.WriteLine(Dispatch.Batch(maxAge: TimeSpan.FromTicks(1))); // RACE010

// right
TimeSpan? age = args.Length > 0 ? TimeSpan.FromSeconds(1) : null;
Console.WriteLine(Dispatch.Batch(maxAge: Timeout.InfiniteTimeSpan));
Console.WriteLine(Dispatch.Batch(maxAge: age));
Console.WriteLine(Dispatch.Batch(min: args.Length, maxAge: TimeSpan.FromSeconds(1)));
