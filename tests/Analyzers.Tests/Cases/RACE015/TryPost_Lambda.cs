// wrong
await using Mailbox<string> log = Mailbox.Start<string>(static line => Console.WriteLine(line));
foreach (string line in args) log.TryPost(line); // RACE015

// fixed
await using Mailbox<string> log = Mailbox.Start<string>(static line => Console.WriteLine(line));
foreach (string line in args) log.Post(line);
